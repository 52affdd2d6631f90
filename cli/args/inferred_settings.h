// Kernel parameters inferred from the sizes and types of the operands that --in gives.
#pragma once
#include "cli/args/options.h"
#include "core/lang/language.h"

namespace tessera::cli {

// Adds parameters without a setting to `settings`. A parameter is inferred if it is the complete
// extent or element type of an operand. Fails for a value of --in without NAME=, for an unknown
// operand, and if the header of a file cannot be read. Files of other shapes are not rejected. Does
// not mark --in as read.
Expected<void> infer_settings(const KernelInfo& kernel, const Arguments& arguments,
                              Settings& settings);

}  // namespace tessera::cli
