// Elements of memory as the debugger's faces show them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "interp/session/inspect.h"

namespace tessera::cli {

// Elements that are looked at for statistics.
inline constexpr std::int64_t most_elements = 1 << 22;

std::string number_text(const Element& element, bool is_real);  // "?" of what is undefined
// How many there are and are defined, their extremes and mean.
std::string statistics(const std::vector<Element>& elements, bool is_real);

}  // namespace tessera::cli
