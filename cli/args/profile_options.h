// Profile of the simulated devices, and the options that change it.
#pragma once
#include <string_view>

#include "cli/args/options.h"
#include "core/report/expected.h"
#include "devices/profiles/profile.h"

namespace tessera::cli {

// Options for the capacities of a profile.
Options capacity_options();
// Returns the profile with this name, changed by the given capacity options.
Expected<Profile> chosen_profile(const Arguments& arguments, std::string_view name);

}  // namespace tessera::cli
