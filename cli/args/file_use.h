// Files named by a command line. Output files must be distinct from each other and from the inputs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/report/expected.h"

namespace tessera::cli {

// A value such as "lhs=x.npy", for a file with one of several tensors. `name` is empty if only the
// file is given. A name has only lower-case letters and `_`.
struct NamedFile {
  std::string name, file;
};
NamedFile named_file(std::string_view value);

// A file named on the command line. Links are resolved, so that files can be compared.
struct FilePlace {
  std::string by;      // "--out", or "the command"
  std::string text;    // as given
  std::string path;    // canonical, if it can be resolved
  std::string tensor;  // tensor in a .safetensors file; empty: the whole file
};
FilePlace file_place(std::string by, std::string_view text, const Files* files);
// Reports an error for each file that is written twice, or both written and read.
Expected<void> check_places(const std::vector<FilePlace>& read,
                            const std::vector<FilePlace>& written);

// Checks the files of a command line with check_places(). Inputs include the program that is run.
// Tensors in one .safetensors file count as separate files. operand: Command::operand.
Expected<void> check_files(const Options& options, std::string_view operand,
                           const Arguments& arguments);

}  // namespace tessera::cli
