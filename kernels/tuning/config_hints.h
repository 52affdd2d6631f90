// JSON form of a configuration's hints: {"pairing": "rows", "alternate": true, "dynamic": true,
// "band": 16, "left": "last", "right": "first"}.
#pragma once
#include <nlohmann/json.hpp>

#include "core/kernel/machine_hints.h"
#include "core/report/expected.h"

namespace tessera {

// Returns all fields, in the order above.
nlohmann::ordered_json to_json(const MachineHints& hints);
// Parses hints. Missing fields have their defaults. Fails, with the name of the field, for an
// unknown field and a wrong value.
Expected<MachineHints> parse_hints(const nlohmann::ordered_json& value);

}  // namespace tessera
