// What a condition was computed from, for who reports that it does not hold.
#pragma once
#include <string>
#include <vector>

#include "core/program/ids.h"

namespace tessera {

class Core;

// `n = 3` for what the condition names, and for the elements of arrays that it reads; the first
// few.
std::vector<std::string> condition_values(Core& core, ValueId condition);

}  // namespace tessera
