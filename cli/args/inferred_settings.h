// Parameters that need no --set: the operands that --in gives have their sizes and types.
#pragma once
#include "cli/args/options.h"
#include "core/lang/language.h"

namespace tessera::cli {

// Adds to `settings` what they do not say and an operand does: an extent or an element type that is
// a parameter by itself. A file that cannot be read is an error.
Expected<void> infer_settings(const KernelInfo& kernel, const Arguments& arguments,
                              Settings& settings);

}  // namespace tessera::cli
