// Syntax of --dump values: NAME@PLACE=FILE.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

Option dump_option();

struct DumpWords {
  std::string name;                // memory, optionally with a slice
  std::vector<std::string> place;  // a line, "event:22" or "end"; then words such as "i=2"
  std::string file;
};
// Parses a value of --dump; none if it has another form. The words of a place are separated by
// commas or spaces. The first `=` after a complete place begins the file name.
std::optional<DumpWords> dump_words(std::string_view given);

inline constexpr std::string_view event_mark = "event:";

}  // namespace tessera::cli
