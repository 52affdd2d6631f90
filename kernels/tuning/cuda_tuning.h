// Configurations of a grouped matmul on a GPU: the backend's data, what its model expects of each,
// and their times by the device's own clock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/model/configuration.h"
#include "kernels/grouped_matmul/on_gpu.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// A problem without its data, as the device's kernels take it.
DeviceGroupedMatmul device_call(const GroupedTuningProblem& problem);
// The fields that both have; GroupedMatmulConfig has no others that a GPU's kernel honours.
cuda::Configuration cuda_configuration(const GroupedMatmulConfig& config);

struct CudaCandidate {
  GroupedMatmulConfig config;
  std::optional<double> expected;  // seconds by the model; it knows the fast kernels alone
};
// Those of devices/cuda/model/configuration.h with which the problem has a fast kernel (on the GPU
// that is here, else on sm_90), the most promising first; where it has none their tiles without
// hints. At most `most`, and one at least. Needs no GPU and no compiler.
std::vector<CudaCandidate> cuda_candidates(const GroupedTuningProblem& problem,
                                           std::size_t most = SIZE_MAX);

// The candidates with their expected times and no other.
TuningResult<GroupedMatmulConfig> expected_on_cuda(const GroupedTuningProblem& problem);
// And with measured ones: events around each launch after the L2 cache was overwritten, candidates
// in turn (seconds_in_turn), on generated operands. ErrorCode::environment without a GPU.
Expected<TuningResult<GroupedMatmulConfig>> time_on_cuda(const GroupedTuningProblem& problem,
                                                         const Tuner& tuner);

}  // namespace tessera
