// Machine profiles by name: what the interpreter assumes of a device, and the tiling that suits it.
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
  Tiling tiling;           // of gmm and tgmm when the caller names none
  MachineRates rates;      // for simulated times
};

// The profile where no other is named.
inline constexpr std::string_view default_profile = "v5e";

// The built-in profiles, in the order of the data.
const std::vector<Profile>& profiles();
// The built-in profile of that name; the error lists the names.
Expected<Profile> find_profile(std::string_view name);

// The machine with the tiling and the rates of the built-in profile of its name, with none where
// there is no such profile. A machine without a name: the default profile.
Profile profile_of(const MachineProfile& machine);

// Profiles from a text written as in devices/profiles/profile_data.cpp: `profile NAME`, then one
// property a line. `like NAME` starts from a built-in profile; without it vmem, smem, hbm and
// semaphores are required. Errors have their place in `source`.
Expected<std::vector<Profile>> parse_profiles(const std::shared_ptr<const Source>& source);

}  // namespace tessera
