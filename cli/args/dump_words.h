// NAME@PLACE=FILE of --dump, as far as the words by themselves tell.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

Option dump_option();

struct DumpWords {
  std::string name;                // of memory, with a slice
  std::vector<std::string> place;  // a line or "event:22" or "end"; "i=2" and "dev1" behind it
  std::string file;
};
// None: they are of another form. Words of a place stand apart by commas or spaces; the first `=`
// behind a whole place begins the file.
std::optional<DumpWords> dump_words(std::string_view given);

inline constexpr std::string_view event_mark = "event:";

}  // namespace tessera::cli
