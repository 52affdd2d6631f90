// Checks of a core's usage against the capacities of the machine profile. A limit of 0: no limit.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/machine/usage.h"

namespace tessera {

struct Excess {
  std::string message;
  // The 5 largest users of the capacity, in descending order; then one note on the rest.
  std::vector<FindingPlace> notes;
};

// Returns the first limit of the profile that a core exceeds; nullopt if it exceeds none.
// has_buffer, has_semaphore: true if that object of the program exists on the core, for the notes
// and for the number of barriers.
std::optional<Excess> excess_of(const Program& program, const MachineProfile& profile,
                                const Usage& usage, const std::function<bool(BufferId)>& has_buffer,
                                const std::function<bool(SemaphoreId)>& has_semaphore);

// Checks the objects that exist during the whole program against the capacities of a core. Returns
// the finding with which each run of the program would end before its first step; nullopt if there
// is none.
std::optional<Finding> launch_excess(const Program& expanded, const MachineProfile& profile);

}  // namespace tessera
