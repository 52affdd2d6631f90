// JSON of others as a value, with what is wrong with it.
#pragma once
#include <string_view>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera {

// The value of the text; `what` begins the sentence that says why it is none
// (core/report/json_text.h has the limits).
Expected<Json> read_json(std::string_view text, std::string_view what);

}  // namespace tessera
