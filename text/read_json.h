// JSON from external sources, with error reports.
#pragma once
#include <string_view>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera {

// Parses the text. Fails like parse_json() of core/report/json_text.h: errors of repeated members
// begin with "member NAME", all others with `what`. left_out: as there.
Expected<Json> read_json(std::string_view text, std::string_view what,
                         std::string_view left_out = {});

}  // namespace tessera
