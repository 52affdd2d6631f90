// Configurations of a grouped matmul on its device: query and choice, expected times of the
// candidates, and times measured with the device's clock.
#pragma once
#include "core/report/expected.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// Returns the product with its operands in the type in which a kernel of the device multiplies
// them.
GroupedDesc multiplied_desc(const GroupedTuningProblem& problem);
// Returns the device query of the built-in kernel for the product. `multiplied` must have the types
// of multiplied_desc().
ConfigQuery config_query(const GroupedDesc& multiplied);
// Returns Device::default_config for the problem's machine; for the reference, which has no tiles,
// the default configuration.
ConfigChoice device_choice(const GroupedTuningProblem& problem, const ConfigQuery& query);

// Returns grouped_candidates() with their expected times, if known. No time is measured, and `best`
// is always 0.
TuningResult<GroupedMatmulConfig> expected_on_device(const GroupedTuningProblem& problem);
// Measures the seconds of all candidates on generated operands, with the clock of the device's
// workbench and interleaved (seconds_in_turn). Returns, for each of `choices`, the seconds or the
// errors of a kernel that cannot be prepared or fails. Requires a device that launches kernels.
// Fails with ErrorCode::environment if it is not available. Throws Interrupted like
// seconds_in_turn(). tuner: numbers of rounds.
Expected<std::vector<Expected<double>>> seconds_on_device(const GroupedTuningProblem& problem,
                                                          const std::vector<ConfigChoice>& choices,
                                                          const Tuner& tuner);

}  // namespace tessera
