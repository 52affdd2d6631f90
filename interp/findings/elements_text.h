// Elements of memory as people see them: in the debugger, its editors and what programs print.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "interp/memory/elements.h"

namespace tessera {

// Elements that are looked at for statistics.
inline constexpr std::int64_t max_elements = 1 << 22;

std::string number_text(const Element& element, bool is_real);  // "?" of what is undefined
// How many there are and are defined, their extremes and mean.
std::string statistics(const std::vector<Element>& elements, bool is_real);
// The first elements by rows of so many columns, a line each; those that are marked have a `*`.
std::string rows_text(const std::vector<Element>& elements, std::int64_t columns, bool is_real,
                      const std::vector<bool>& is_marked = {});
// The columns of a rectangle: the extent of its last kept dimension.
std::int64_t columns_of(const Box& box);

}  // namespace tessera
