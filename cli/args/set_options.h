// Kernel parameters from --set.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Reads the values of --set. Fails for an unknown parameter of `kernel`, with a suggestion.
Expected<Settings> settings_of(const Arguments& arguments, const KernelInfo& kernel);
// Parameters without a setting and without a default.
std::vector<std::string> missing_parameters(const KernelInfo& kernel, const Settings& settings);
// "kernel `matmul` needs values for `m`, `k`: give --set m=..."
std::string missing_text(const KernelInfo& kernel, const std::vector<std::string>& missing);

}  // namespace tessera::cli
