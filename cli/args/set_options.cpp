#include "cli/args/set_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/lang/parameter_errors.h"

namespace tessera::cli {

Expected<Settings> settings_of(const Arguments& arguments, const KernelInfo& kernel) {
  std::vector<std::string_view> names;
  for (const ParameterInfo& parameter : kernel.parameters) names.push_back(parameter.name);
  Settings settings;
  Diags diags;
  for (const std::string& setting : arguments.all("set")) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    if (equals == std::string::npos || equals == 0) {
      diags.push_back(error(fmt::format("--set: expected NAME=VALUE, found '{}'", setting)));
    } else if (std::find(names.begin(), names.end(), name) == names.end()) {
      diags.push_back(error(unknown_parameter(kernel.name, name, names)));
    } else if (!settings.emplace(name, setting.substr(equals + 1)).second) {
      diags.push_back(error(fmt::format("--set gives {} twice", name)));
    }
  }
  if (!diags.empty()) return diags;
  return settings;
}

std::vector<std::string> missing_parameters(const KernelInfo& kernel, const Settings& settings) {
  std::vector<std::string> missing;
  for (const ParameterInfo& parameter : kernel.parameters) {
    // The default of a type parameter is the first of its choices.
    const bool has_default = !parameter.default_text.empty() || !parameter.choices.empty();
    if (!has_default && !settings.contains(parameter.name)) missing.push_back(parameter.name);
  }
  return missing;
}

std::string missing_text(const KernelInfo& kernel, const std::vector<std::string>& missing) {
  return fmt::format("{}: give --set {}=...", values_needed(kernel.name, missing), missing.front());
}

}  // namespace tessera::cli
