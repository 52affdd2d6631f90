// A command and all files that it reads, as one file in JSON (docs/reference/command-line.md).
#pragma once
#include <array>
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
// Parses a pack without its report. The commands are not checked. Fails with
// ErrorCode::invalid_value if the text is no JSON object with these members, or if a file has an
// invalid name or content. path: for messages.
Expected<Pack> parse_pack(std::string_view text, std::string_view path);

// True if a file in a pack can have this name: printable, without folder, brackets and `#`, and not
// the name of a command or kernel, which would be run instead.
bool is_packable(const std::string& name);
// Returns the name of a file without its folder. Keeps the name of a tensor after ".safetensors#".
std::string without_folder(std::string_view file);
// Options that concern the machine and the user of a command, so that packs do not have them.
inline constexpr std::array<std::string_view, 5> personal_options = {"json", "help", "max-memory",
                                                                     "threads", "debug-on-finding"};
bool is_personal(std::string_view option);

}  // namespace tessera::cli
