// A command and all files that it reads, as one file in JSON (docs/reference/command-line.md).
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera::cli {

struct Pack {
  std::vector<std::string> command;  // without the program's name and options that write files
  std::vector<std::string> replay;   // command that repeats the finding; empty: no finding
  // Contents, by the names that the commands use; names have no folder.
  std::map<std::string, std::string, std::less<>> files;
};

inline constexpr std::string_view pack_ending = ".pack";

// Returns the pack with the JSON report of its command.
Json to_json(const Pack& pack, const Json& report);
// Parses a pack. The commands are not checked. Fails with ErrorCode::invalid_value if the text is
// no JSON object with exactly these members, or if a file has an invalid name or content. path: for
// messages.
Expected<Pack> parse_pack(std::string_view text, std::string_view path);

// Returns the part of a path after the last slash.
std::string_view base_name(std::string_view path);

}  // namespace tessera::cli
