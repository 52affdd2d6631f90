// Tuning of grouped matmuls: the problem without its data, its key, its candidates, and their
// times.
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

// Problem for which a configuration is chosen.
struct GroupedTuningProblem {
  Platform platform = simulated_platform();  // must not be Auto
  Profile profile;                           // interpreter's machine
  GroupedDesc desc;                          // with the operands' own types
  bool use_v2 = false;                       // cached under the name grouped_matmulv2

  // Name in keys: "grouped_matmul", "grouped_matmulv2" or "transposed_grouped_matmul".
  std::string_view algorithm() const;
  // Device of the platform; null for the reference, which has no kernel.
  const Device* device() const;
  // Returns device options with the profile's machine.
  DeviceOptions device_options() const { return {.profile = profile.machine}; }
};

// Returns the problem of a call on a device with these options. Its group_offset is 0, because
// skipped groups have no cost.
GroupedTuningProblem grouped_problem(const Device& device, const GroupedDesc& desc,
                                     const DeviceOptions& options);

// Returns the key under which configurations are cached: shapes, types and options. From the group
// sizes it has the largest and the mean size, rounded up to powers of two, and the fraction of
// groups that have rows, as a power of 1/2.
OperationKey grouped_key(const GroupedTuningProblem& problem);

// Returns the configurations that tuning measures: Device::candidates or, if there are none, only
// the device's choice. Never empty.
std::vector<ConfigChoice> grouped_candidates(const GroupedTuningProblem& problem);
// Checks whether the configuration can be used for the problem on its platform. Fails for the
// configuration of another platform, like check_platform(), for an align with tgmm, and for too
// many buffers.
Expected<void> check_use(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// Calls check_use, and checks that a run would not be rejected before it begins: the tiles must fit
// into the machine's memories, or a GPU must have a kernel (otherwise ErrorCode::unsupported).
Expected<void> check_fit(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);

// Returns sizes [groups] that sum to m, representative of all calls with one key. Group 0 has
// `largest` rows, but at least m / filled (rounded up) and at most m. The next filled - 1 groups
// have about equally many, and the remaining groups are empty. filled: number of groups with rows,
// clamped to 1 .. groups.
std::vector<std::int64_t> representative_sizes(std::int64_t m, std::int64_t groups,
                                               std::int64_t largest, std::int64_t filled);
// Returns the problem with representative sizes for its key.
GroupedTuningProblem representative(const GroupedTuningProblem& problem);

// Returns the seconds of one call on the simulated machine. In a long run, only some passes over
// the rows are simulated, at least two, in about `max_steps` simulated steps; the result is scaled
// to all passes. Fails if the run is rejected or has a finding.
Expected<double> simulated_seconds(const GroupedTuningProblem& problem,
                                   const GroupedMatmulConfig& config,
                                   std::int64_t max_steps = 200'000);
// Returns a lower bound of simulated_seconds: the roofline of the machine's peak rates for matmuls
// and for memory.
double least_seconds(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config);
// Measures the seconds of all candidates on the problem's own sizes: simulated (whole runs), by the
// device's clock in interleaved order, or by the tuner's clock. Fails like Tuner::tune and
// seconds_on_device().
Expected<TuningResult<GroupedMatmulConfig>> time_candidates(const GroupedTuningProblem& problem,
                                                            const Tuner& tuner);

// Tunes on representative sizes, simulated for the interpreter and measured on other devices. With
// policy.validate_backward, the time of gmm includes both gradients. If the device launches
// kernels, validate_backward fails with ErrorCode::unsupported, because each of the three products
// has its own configuration. Also fails like Tuner::tune and seconds_on_device().
Expected<TuningResult<GroupedMatmulConfig>> tune_grouped(const GroupedTuningProblem& problem,
                                                         const AutotunePolicy& policy,
                                                         const Tuner& tuner = {});
// Returns the source of times: "simulated on v5e", "measured on NVIDIA H200, driver 13.0, NVRTC
// 13.0".
std::string measure_name(const GroupedTuningProblem& problem);

}  // namespace tessera
