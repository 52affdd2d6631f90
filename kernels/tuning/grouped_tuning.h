// What configurations of a grouped matmul are judged by: the problem without its data, its key, its
// candidates, and the time that a candidate takes.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "devices/profiles/profile.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/operation_key.h"
#include "kernels/tuning/selection.h"

namespace tessera {

struct GroupedTuningProblem {
  Platform platform = simulated_platform();
  Profile profile;      // of the simulated machine
  GroupedDesc desc;     // with the operands' own types
  bool use_v2 = false;  // kept under the name of grouped_matmulv2

  // "grouped_matmul", "grouped_matmulv2" or "transposed_grouped_matmul".
  std::string_view algorithm() const;
  // That of the platform; null for the reference, which has no kernel to cut.
  const Device* device() const;
  DeviceOptions device_options() const { return {.profile = profile.machine}; }
};

// Shapes, types and options, and of the sizes their largest and mean in buckets of powers of two,
// and which share of the groups has rows, halved as often as it can be.
OperationKey grouped_key(const GroupedTuningProblem& problem);

// The device's choice, where it has a fast kernel of it; 128x128x128, 4 warps, 2 stages for the
// reference.
GroupedMatmulConfig grouped_heuristic(const GroupedTuningProblem& problem);
// Those of the device (Device::candidates), as far as it has fast kernels of them.
std::vector<GroupedMatmulConfig> grouped_candidates(const GroupedTuningProblem& problem);
// What in a configuration is not for the problem or its platform.
Diags check_use(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// The same, and whether a machine of the problem's has room for it: what a run would refuse before
// it begins.
Diags check_fit(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);

// `groups` sizes that sum to m: of the first `filled` one has `largest` rows (at least m / filled,
// rounded up) and the others are alike, the rest is empty. What stands for all calls of one key.
std::vector<std::int64_t> representative_sizes(std::int64_t m, std::int64_t groups,
                                               std::int64_t largest, std::int64_t filled);
// The problem with representative sizes of its key.
GroupedTuningProblem representative(const GroupedTuningProblem& problem);

// The time of one call on the simulated machine. Of a long run a part is simulated: whole passes
// over the rows, of which the others are copies; `most_steps` says how much.
Expected<double> simulated_seconds(const GroupedTuningProblem& problem,
                                   const GroupedMatmulConfig& config,
                                   std::int64_t most_steps = 200'000);
// No simulated time is below it: the products at the peak rate, or the bytes at that of the memory.
double least_seconds(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// All candidates on the problem's own sizes: simulated (whole runs), measured in turn by the
// device's clock, or by the tuner's.
Expected<TuningResult<GroupedMatmulConfig>> time_candidates(const GroupedTuningProblem& problem,
                                                            const Tuner& tuner);

// Tunes on representative sizes: simulated for the interpreter, measured elsewhere. With
// policy.validate_backward the time is that of the call and both its gradients; where kernels run
// for real that is ErrorCode::unsupported, since each of the three products has a configuration of
// its own.
Expected<TuningResult<GroupedMatmulConfig>> tune_grouped(const GroupedTuningProblem& problem,
                                                         const AutotunePolicy& policy,
                                                         const Tuner& tuner = {});
// "simulated on v5e", "measured on NVIDIA H200, driver 13.0, NVRTC 13.0".
std::string measure_name(const GroupedTuningProblem& problem);

}  // namespace tessera
