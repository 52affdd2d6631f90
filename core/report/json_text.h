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

// Max members of an object, above all formats used here. The JSON library adds each in linear time.
inline constexpr std::size_t most_json_members = 10000;

// Parses the text. Fails with ErrorCode::invalid_value if it is not valid JSON, nests deeper than
// deepest_json or has an object of more than most_json_members: one error that begins with `what`,
// for example a path. Also fails if objects repeat members: one error each, which begins with
// `member` and the member's name. left_out: member of the outermost object that is checked but
// absent in the result; empty: none.
Expected<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view what,
                                            std::string_view member = "member",
                                            std::string_view left_out = {});
// Returns the text as a JSON string, with its quotes; invalid UTF-8 is replaced.
std::string json_string(std::string_view text);
// Returns the value as JSON on one line, truncated to 80 bytes as by shown_text(); invalid UTF-8 is
// replaced.
std::string shown_json(const nlohmann::ordered_json& value);

}  // namespace tessera
