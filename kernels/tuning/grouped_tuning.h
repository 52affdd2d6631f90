// Tuning of grouped matmuls: the problem without its data, its key, its candidates, and the time of
// a candidate.
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

// What a configuration is chosen for.
struct GroupedTuningProblem {
  Platform platform = simulated_platform();  // where it runs; not Auto
  Profile profile;                           // of the interpreter's machine
  GroupedDesc desc;                          // with the operands' own types
  bool use_v2 = false;                       // cached under the name of grouped_matmulv2

  // Its name in keys: "grouped_matmul", "grouped_matmulv2" or "transposed_grouped_matmul".
  std::string_view algorithm() const;
  // The device of the platform; null for the reference, which has no kernel.
  const Device* device() const;
  // Options with the profile's machine.
  DeviceOptions device_options() const { return {.profile = profile.machine}; }
};

// The problem of a call on a device with these options.
GroupedTuningProblem grouped_problem(const Device& device, const GroupedDesc& desc,
                                     const DeviceOptions& options);

// The key under which configurations are cached: shapes, types and options; of the group sizes the
// largest and the mean, in buckets of powers of two, and the share of groups that have rows, as a
// power of 1/2.
OperationKey grouped_key(const GroupedTuningProblem& problem);

// What tuning measures, never empty: Device::candidates, or where it has none its choice alone.
std::vector<ConfigChoice> grouped_candidates(const GroupedTuningProblem& problem);
// Whether a configuration can be used for the problem on its platform; the errors say why not.
Expected<void> check_use(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// check_use, and whether the memories of the machine hold its tiles: what a run would refuse before
// it begins.
Expected<void> check_fit(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);

// Sizes [groups] that sum to m and stand for all calls of one key: of the first `filled` groups one
// has `largest` rows (at least m / filled, rounded up) and the others have about equally many; the
// rest is empty.
std::vector<std::int64_t> representative_sizes(std::int64_t m, std::int64_t groups,
                                               std::int64_t largest, std::int64_t filled);
// The problem with representative sizes of its key.
GroupedTuningProblem representative(const GroupedTuningProblem& problem);

// Seconds of one call on the simulated machine. Of a long run only whole passes over
// the rows are simulated, in about `max_steps` steps of the simulation and at least two; the other
// passes repeat them.
Expected<double> simulated_seconds(const GroupedTuningProblem& problem,
                                   const GroupedMatmulConfig& config,
                                   std::int64_t max_steps = 200'000);
// A lower bound of simulated_seconds, in seconds: the roofline of the machine's peak rates for
// matmuls and for memory.
double least_seconds(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// Seconds of all candidates on the problem's own sizes: simulated (whole runs), measured in
// round-robin order by the device's clock, or by the tuner's clock.
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
