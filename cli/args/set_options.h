// The parameters of a kernel as --set gives them.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

// What --set gives; an unknown parameter of `kernel` gets a near match.
Expected<Settings> settings_of(const Arguments& arguments, const KernelInfo& kernel);
// The parameters that neither `settings` nor a default decides.
std::vector<std::string> missing_parameters(const KernelInfo& kernel, const Settings& settings);
// "kernel `matmul` needs values for `m`, `k`: give --set m=..."
std::string missing_text(const KernelInfo& kernel, const std::vector<std::string>& missing);

}  // namespace tessera::cli
