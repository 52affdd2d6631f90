// The profile of the simulated devices, and what the command line changes of it.
#pragma once
#include <string_view>

#include "cli/args/options.h"
#include "core/report/expected.h"
#include "devices/profiles/profile.h"

namespace tessera::cli {

// The rows of --help: one for each capacity of a profile.
Options capacity_options();
// The profile of that name, with the capacities that were given.
Expected<Profile> chosen_profile(const Arguments& arguments, std::string_view name);

}  // namespace tessera::cli
