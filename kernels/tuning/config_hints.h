// The hints of a configuration as JSON: {"pairing": "rows", "alternate": true, "dynamic": true,
// "band": 16, "left": "last", "right": "first"}.
#pragma once
#include <nlohmann/json.hpp>

#include "core/kernel/machine_hints.h"
#include "core/report/expected.h"

namespace tessera {

// All fields, in the order above.
nlohmann::ordered_json to_json(const MachineHints& hints);
// Fields left out have their defaults; an unknown one and a wrong value are errors that name it.
Expected<MachineHints> parse_hints(const nlohmann::ordered_json& value);

}  // namespace tessera
