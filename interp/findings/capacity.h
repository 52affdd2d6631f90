// What exists at a core against what the machine profile has. A limit of 0 is no limit.
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
  std::vector<FindingPlace> notes;  // who takes how much, the biggest first
};

// The first limit of the profile that a core passes. has_buffer, has_semaphore: whether one of the
// program exists there; asked for the notes.
std::optional<Excess> excess_of(const Program& program, const MachineProfile& profile,
                                const Usage& usage, const std::function<bool(BufferId)>& has_buffer,
                                const std::function<bool(SemaphoreId)>& has_semaphore);

// What the program declares for all its time against what a core has: the finding with which each
// run of it would end before its first step.
std::optional<Finding> launch_excess(const Program& expanded, const MachineProfile& profile);

}  // namespace tessera
