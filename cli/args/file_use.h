// The files that a command line names: what it reads must not be what it writes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/report/expected.h"

namespace tessera::cli {

// "lhs=x.npy", of a file that is one tensor's of several: its name, empty where the file stands
// alone.
struct NamedFile {
  std::string name, file;
};
NamedFile named_file(std::string_view value);

// A file that an option names, whatever links lead to it.
struct FilePlace {
  std::string by;      // "--out", or "the command"
  std::string text;    // as it is given
  std::string path;    // in the end
  std::string tensor;  // of a file that has several
};
FilePlace file_place(std::string by, std::string_view text, const Files* files);
// An error for each that is written twice, or read as well.
Expected<void> check_places(const std::vector<FilePlace>& read,
                            const std::vector<FilePlace>& written);

// Two outputs of one place, and an output in the place of an input, the program that runs among
// them, are errors; tensors of one .safetensors file have places of their own. `operand` is what
// the command's words are, as --help names it.
Expected<void> check_files(const Options& options, std::string_view operand,
                           const Arguments& arguments);

}  // namespace tessera::cli
