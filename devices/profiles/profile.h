// Machine profiles by name: properties of a device for the interpreter, and a suitable tiling.
#pragma once  // public
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/tiling.h"
#include "core/machine/machine_profile.h"
#include "core/machine/machine_rates.h"
#include "core/report/expected.h"

namespace tessera {

// A machine with its default tiling.
struct Profile {
  MachineProfile machine;  // capacities, rules, peak rates
  Tiling tiling;           // default for gmm and tgmm
  MachineRates rates;      // for simulated times
};

// Used if no profile is named.
inline constexpr std::string_view default_profile = "v5e";

// The built-in profiles, in the order of the data.
const std::vector<Profile>& profiles();
// Returns the built-in profile with this name. Fails with ErrorCode::invalid_value and the list of
// names if there is none.
Expected<Profile> find_profile(std::string_view name);

// Returns the machine with the tiling and the rates of the built-in profile of the same name. If
// there is none, tiling and rates have their default values. If the machine has no name, returns
// the built-in profile `default_profile` and ignores the other properties of the machine.
Profile profile_of(const MachineProfile& machine);

// Parses profiles in the format of devices/profiles/profile_data.cpp: `profile NAME`, then one
// property per line. `like NAME` copies a built-in profile, and discards the properties before it;
// without it vmem, smem, hbm and semaphores are required. Fails with ErrorCode::invalid_value and
// locations in `source`; also for a text without profiles and for two of the same name.
Expected<std::vector<Profile>> parse_profiles(const std::shared_ptr<const Source>& source);

}  // namespace tessera
