// Profile of the simulated devices, and the options that change it.
#pragma once
#include <string_view>

#include "cli/args/options.h"
#include "core/report/expected.h"
#include "devices/profiles/profile.h"

namespace tessera::cli {

// Returns the options for the capacities of a profile.
Options capacity_options();
// Returns the profile with this name, changed by the given capacity options. Fails for an unknown
// profile and for each capacity with a wrong value. The machine's `changes` lists the changes.
Expected<Profile> chosen_profile(const Arguments& arguments, std::string_view name);

}  // namespace tessera::cli
