// JSON that others wrote: read with a bound on its depth, and quoted in messages with a bound on
// its length.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "core/report/shown.h"

namespace tessera {

// No file of ours nests deeper than a handful. The library's own writing and copying recurse, so no
// deeper value may come to be.
inline constexpr int deepest_json = 64;

// The value of the text; `what` begins the sentence that says why it is none. A member that is
// given twice is an error which names it after `member`.
Expected<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view what,
                                            std::string_view member = "member");
// The value in JSON, cut where it is long.
std::string shown_json(const nlohmann::ordered_json& value);

}  // namespace tessera
