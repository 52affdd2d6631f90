// Configurations of a grouped matmul as a device has them: what it is asked and chooses, what its
// model expects of each candidate, and their times by the device's own clock.
#pragma once
#include "core/report/expected.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// The product with its operands in the type in which a kernel of that device multiplies them.
GroupedDesc multiplied_desc(const GroupedTuningProblem& problem);
// The shipped kernel's question to a device; `multiplied` has the types of multiplied_desc().
ConfigQuery config_query(const GroupedDesc& multiplied);
// Device::choose on the problem's machine; the default for the reference, which is not cut.
ConfigChoice device_choice(const GroupedTuningProblem& problem, const ConfigQuery& query);

// The candidates with their expected times and no other.
TuningResult<GroupedMatmulConfig> expected_on_device(const GroupedTuningProblem& problem);
// Their seconds by the clock of the device's workbench, candidates in turn (seconds_in_turn), on
// generated operands. ErrorCode::environment where the device is not here.
Expected<std::vector<Expected<double>>> seconds_on_device(const GroupedTuningProblem& problem,
                                                          const std::vector<ConfigChoice>& choices,
                                                          const Tuner& tuner);

}  // namespace tessera
