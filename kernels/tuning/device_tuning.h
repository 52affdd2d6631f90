// Configurations of a grouped matmul where kernels run for real: the device's offers, what its
// model expects of each, and their times by the device's own clock.
#pragma once
#include <cstddef>
#include <vector>

#include "core/report/expected.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// The product with its operands in the type in which a kernel of that device multiplies them.
GroupedDesc multiplied_desc(const GroupedTuningProblem& problem);
// The device's candidates with which the problem has a fast kernel (also where the device is not
// here), the most promising first; where it has none their tiles without hints. At most `most`, and
// one at least.
std::vector<ConfigChoice> fast_candidates(const GroupedTuningProblem& problem,
                                          std::size_t most = SIZE_MAX);

// The candidates with their expected times and no other.
TuningResult<GroupedMatmulConfig> expected_on_device(const GroupedTuningProblem& problem);
// And with measured ones: the device's stopwatch around each launch, candidates in turn
// (seconds_in_turn), on generated operands. ErrorCode::environment where the device is not here.
Expected<TuningResult<GroupedMatmulConfig>> time_on_device(const GroupedTuningProblem& problem,
                                                           const Tuner& tuner);

}  // namespace tessera
