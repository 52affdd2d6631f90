// Commands on the contents of a pack: `gmm-run verify case.pack`.
#pragma once
#include <string>
#include <vector>

#include "cli/pack/pack.h"
#include "core/host/read_files.h"
#include "core/report/expected.h"

namespace tessera::cli {

// True if the command line has a pack in place of its program: the word after the command ends with
// pack_ending, and the command is not `pack`.
bool names_pack(const std::vector<std::string>& args);

// Requires names_pack(args). Reads the pack, sets the contents of `files` and returns the command
// line for them: the packed command for `verify`; for the others its replay if it has one. Options
// that the new command does not have are left out. Words after the pack are appended, and replace
// its options with the same key. From then on `files` opens only files of the pack, and files that
// these words name.
// Fails if the pack cannot be read or parsed, and for commands other than run, verify, debug, dap,
// why and graph. Fails if a packed command writes a file, reads standard input, or names a program
// that is not in the pack.
Expected<std::vector<std::string>> open_pack(const std::vector<std::string>& args,
                                             ReadFiles& files);

}  // namespace tessera::cli
