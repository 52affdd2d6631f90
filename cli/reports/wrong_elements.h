// Where the wrong elements of a result lie: often the shape of the mistake.
#pragma once
#include <string>
#include <string_view>

#include "cli/reports/compared_results.h"

namespace tessera::cli {

// "the wrong elements are out[0 .. 32, 64 .. 128 step 2]" where they are just the elements at these
// indices of each dimension, "... lie in out[0 .. 32, 64 .. 128]" where these have right ones among
// them too. Empty of one wrong element, and where every element is wrong.
std::string wrong_elements_text(const ComparedResult& result);

}  // namespace tessera::cli
