// Positions of the wrong elements of a result, which often show the cause.
#pragma once
#include <string>
#include <string_view>

#include "cli/reports/compared_results.h"

namespace tessera::cli {

// "the wrong elements are out[0 .. 32, 64 .. 128 step 2]" if exactly these elements are wrong,
// "... are inside out[0 .. 32, 64 .. 128]" if some of these elements are right. Empty if fewer than
// two or all elements are wrong, and for a result without dimensions.
std::string wrong_elements_text(const ComparedResult& result);

}  // namespace tessera::cli
