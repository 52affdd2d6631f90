// The files that a command line names: what it reads must not be what it writes.
#pragma once
#include <string_view>

#include "cli/args/options.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Two outputs of one place, and an output in the place of an input, the program that runs among
// them, are errors; tensors of one .safetensors file have places of their own. `operand` is what
// the command's words are, as --help names it.
Diags check_files(const Options& options, std::string_view operand, const Arguments& arguments);

}  // namespace tessera::cli
