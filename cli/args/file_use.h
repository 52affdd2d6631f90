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
// Splits a value at its first `=` if a valid name precedes it; otherwise all of it is the file.
NamedFile named_file(std::string_view value);

// Returns the file in a value of an option, which ends with it: "x.npy" for "lhs=x.npy". Empty if
// the value names no file, or is "-". The result refers to `value`.
std::string_view file_in(const Option& option, std::string_view value);

// A file named on the command line. Links are resolved, so that files can be compared.
struct FilePlace {
  std::string by;      // "--out", or "the command"
  std::string text;    // as given
  std::string path;    // canonical, if it can be resolved
  std::string tensor;  // tensor in a .safetensors file; empty: the whole file
};
// Returns the place of a file or of a held file. If the path cannot be resolved, `path` is the text
// as given. by: option, for messages; files: may be null.
FilePlace file_place(std::string by, std::string_view text, const Files* files);
// Fails with an error for each pair of places in one file that are both written, or written and
// read. Different tensors in one .safetensors file do not conflict.
Expected<void> check_places(const std::vector<FilePlace>& read,
                            const std::vector<FilePlace>& written);

// Fails like check_places() for the files that the command line names: the values of these options,
// and the words if `operand` begins with "FILE". Does not mark options as read.
// operand: Command::operand.
Expected<void> check_files(const Options& options, std::string_view operand,
                           const Arguments& arguments);

}  // namespace tessera::cli
