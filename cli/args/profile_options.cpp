#include "cli/args/profile_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "devices/profiles/profile_property.h"

namespace tessera::cli {

Options capacity_options() {
  Options options;
  for (const Capacity& capacity : capacities())
    options.push_back({capacity.option, "N", capacity.meaning});
  return options;
}

Expected<Profile> chosen_profile(const Arguments& arguments, std::string_view name) {
  Expected<Profile> profile = find_profile(name);
  if (!profile) return profile;
  Diags diags;
  for (const Capacity& capacity : capacities()) {
    if (!arguments.has(capacity.option)) continue;
    const std::string_view given = arguments.text(capacity.option);
    const std::size_t digits = std::min(given.find_first_not_of("0123456789"), given.size());
    const std::size_t unit = std::min(given.find_first_not_of(' ', digits), given.size());
    const PropertySet set =
        set_property(*profile, capacity.property, given.substr(0, digits), given.substr(unit));
    if (!set.wanted.empty()) {
      diags.push_back(
          error(fmt::format("--{}: expected {}, found {}", capacity.option, set.wanted, given)));
      continue;
    }
    std::string& changes = profile->machine.changes;
    changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", capacity.property, given);
  }
  if (!diags.empty()) return diags;
  return profile;
}

}  // namespace tessera::cli
