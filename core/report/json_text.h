// JSON from external sources: parsed with limited depth, and quoted in messages with limited
// length.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "core/report/shown.h"

namespace tessera {

// Max nesting depth, far above all formats used here. The JSON library writes and copies
// recursively, so deeper values must not be created.
inline constexpr int deepest_json = 64;

// Parses the text. Errors of syntax and depth begin with `what`. A duplicate member is an error
// that begins with `member` and its name.
Expected<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view what,
                                            std::string_view member = "member");
// Returns the value as JSON, truncated if it is long.
std::string shown_json(const nlohmann::ordered_json& value);

}  // namespace tessera
