// Kernel parameters from --set.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Returns the values of --set, by parameter. Fails for text other than NAME=VALUE, for a repeated
// parameter, and for an unknown parameter of `kernel`, with a suggestion.
Expected<Settings> settings_of(const Arguments& arguments, const KernelInfo& kernel);
// Returns the parameters without a setting and without a default. A type parameter with choices has
// a default, the first one.
std::vector<std::string> missing_parameters(const KernelInfo& kernel, const Settings& settings);
// Returns the error message for missing parameters, at least one: "kernel `matmul` needs values for
// `m`, `k`: give --set m=..."
std::string missing_text(const KernelInfo& kernel, const std::vector<std::string>& missing);

}  // namespace tessera::cli
