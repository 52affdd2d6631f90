// Text of memory elements, for the debugger, editors and print ops.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "interp/memory/elements.h"

namespace tessera {

// Maximum number of elements for statistics.
inline constexpr std::int64_t max_elements = 1 << 22;

std::string number_text(const Element& element, bool is_real);  // "?" if undefined
// Text with the number of elements and of defined elements and, if there are any defined ones,
// their minimum, maximum and mean.
std::string statistics(const std::vector<Element>& elements, bool is_real);
// Text of the elements in rows of `columns`, one line each: at most 8 rows and 8 columns. Elements
// with a true entry in is_marked have a `*`; if it is empty, none have.
std::string rows_text(const std::vector<Element>& elements, std::int64_t columns, bool is_real,
                      const std::vector<bool>& is_marked = {});
// Number of columns of a rectangle: the size of its last dimension that is not dropped; 1 if there
// is none.
std::int64_t columns_of(const Box& box);

}  // namespace tessera
