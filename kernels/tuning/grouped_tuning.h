// What configurations of a grouped matmul are judged by: the problem without its data, its key, its
// candidates, and the time that a candidate takes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dtype.h"
#include "core/report/expected.h"
#include "devices/profiles/profile.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/operation_key.h"
#include "kernels/tuning/selection.h"

namespace tessera {

struct GroupedTuningProblem {
  std::string algorithm = "grouped_matmul";  // or grouped_matmulv2, transposed_grouped_matmul
  Platform platform = Platform::Interpreter;
  Profile profile;  // of the interpreter's machine
  std::int64_t m = 0, k = 0, n = 0;
  std::vector<std::int64_t> group_sizes;  // of all groups
  std::int64_t local_groups = 0;
  DType lhs = DType::bf16, rhs = DType::bf16, out = DType::f32;
  bool transpose_rhs = false, local_rows = false;
  bool accumulates = false, overwrites = false;  // an existing result
  std::string precision = "default";

  bool is_transposed() const { return algorithm == "transposed_grouped_matmul"; }
  std::int64_t groups() const { return static_cast<std::int64_t>(group_sizes.size()); }
};

// Shapes, types and options, and of the sizes their largest and mean in buckets of powers of two,
// and which share of the groups has rows, halved as often as it can be.
OperationKey grouped_key(const GroupedTuningProblem& problem);

// 128x128x128, 4 warps, 2 stages, or the tiling that the machine's profile brings. On CUDA the
// first of the backend's own candidates (cuda_tuning.h).
GroupedMatmulConfig grouped_heuristic(const GroupedTuningProblem& problem);
// The heuristic one first, then ejKernel's nine (on a machine whose vmem does not hold them, the
// tiles of the CUDA kernels), clamped to the problem, each once. On CUDA the backend's candidates.
std::vector<GroupedMatmulConfig> grouped_candidates(const GroupedTuningProblem& problem);
// m = 128 tiles of a problem with 60 rows have 60 rows after padding to 128: the padded m decides.
GroupedMatmulConfig clamped(const GroupedMatmulConfig& config, std::int64_t m, std::int64_t k,
                            std::int64_t n);

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
// All candidates on the problem's own sizes: simulated (whole runs), measured by CUDA events in
// turn, or by the tuner's clock.
Expected<TuningResult<GroupedMatmulConfig>> time_candidates(const GroupedTuningProblem& problem,
                                                            const Tuner& tuner);

// Tunes on representative sizes: simulated for the interpreter, measured elsewhere. With
// policy.validate_backward the time is that of the call and both its gradients; on CUDA that is
// ErrorCode::unsupported, since each of the three products has a configuration of its own.
Expected<TuningResult<GroupedMatmulConfig>> tune_grouped(const GroupedTuningProblem& problem,
                                                         const AutotunePolicy& policy,
                                                         const Tuner& tuner = {});
// "simulated on v5e", "measured on NVIDIA H200, driver 13.0, NVRTC 13.0".
std::string measure_name(const GroupedTuningProblem& problem);

}  // namespace tessera
