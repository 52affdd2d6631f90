// JSON from external sources, with error reports.
#pragma once
#include <string_view>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera {

// Parses the text; errors begin with `what`. The limits are in core/report/json_text.h.
Expected<Json> read_json(std::string_view text, std::string_view what);

}  // namespace tessera
