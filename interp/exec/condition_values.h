// Values that a condition was computed from, for reports of failed conditions.
#pragma once
#include <string>
#include <vector>

#include "core/program/ids.h"

namespace tessera {

class Core;

// Returns texts such as `n = 3` for named values in the condition and for array elements that it
// reads; at most eight.
std::vector<std::string> condition_values(Core& core, ValueId condition);

}  // namespace tessera
