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

// Reads the pack, sets the contents of `files` and returns the command line for them: the packed
// command for `verify`; for the others its replay if it has one. Options that the new command does
// not have are left out. Words after the pack are appended, and replace its options of the same
// name. Fails if the file cannot be read or parsed, for commands other than run, verify, debug,
// dap, why and graph, and if a packed command names a file that is not in the pack, or one to
// write.
Expected<std::vector<std::string>> open_pack(const std::vector<std::string>& args,
                                             ReadFiles& files);

}  // namespace tessera::cli
