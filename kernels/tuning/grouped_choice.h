// Choice of the configuration for a grouped matmul call. Used by the command line, the library and
// tuning. Sources in order: the call itself, a measured configuration cached for its key, a
// measurement now, and the device's choice (Device::default_config).
#pragma once
#include <optional>

#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/launch/config_request.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/selection.h"

namespace tessera {

// A call that needs a configuration.
struct ConfigQuestion {
  GroupedTuningProblem problem;  // with the operands' own types, which are part of the cache key
  // Query for the device: the product with the types in which it is multiplied, and its kernel.
  // choose_config() sets its buffers from `parts`.
  ConfigQuery query = {};
  // True for the built-in gmm and tgmm kernels. Others are not in the user's cache and are not
  // tuned.
  bool is_shipped = false;
  std::optional<GroupedMatmulConfig> given = {};  // complete configuration from the caller
  ConfigRequest parts = {};                       // or parts of a configuration
  ConfigOverlay overlay = {};                 // takes precedence over all caches for the call's key
  std::optional<AutotunePolicy> policy = {};  // none: environment_policy()
  Tuner tuner = {};                           // used if the policy allows measurements
};
// Returns the question for a call of a built-in kernel.
ConfigQuestion question_of(const GroupedTuningProblem& problem);
// Returns the question for a call of another kernel, whose product and program are in `query`.
ConfigQuestion question_of(const Device& device, const ConfigQuery& query,
                           const DeviceOptions& options, const ConfigRequest& parts = {});

// Chooses the configuration. `given` and `parts` take precedence; if only buffers or an align are
// specified, the device chooses the rest. The reference ignores `parts`. Null `chain`: the user's
// cache is read and stores measured configurations, but not the device's choice. Fails like
// given_config() and GroupedConfigChain::choose.
Expected<ConfigDecision> choose_config(const ConfigQuestion& question,
                                       GroupedConfigChain* chain = nullptr);

}  // namespace tessera
