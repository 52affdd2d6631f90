// Which configuration a call of a grouped matmul takes, and why: the one function that the command
// line, the library's calls and tuning ask. What the call gives, else what was measured for its key
// and kept, else what is measured now, else what the device chooses (Device::choose).
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
  GroupedTuningProblem problem;  // with the operands' own types: under its key the caches look
  // The product as it is multiplied, and its kernel: what the device is asked. Its buffers are set
  // from `parts`.
  ConfigQuery query = {};
  // The kernel is the shipped gmm or tgmm. Of others the user's cache has nothing, and they are not
  // tuned.
  bool is_shipped = false;
  std::optional<GroupedMatmulConfig> given = {};  // a whole configuration of the caller's
  ConfigRequest parts = {};                       // or parts of one
  ConfigOverlay overlay = {};                     // for the call's key, before any cache
  std::optional<AutotunePolicy> policy = {};      // none: environment_policy()
  Tuner tuner = {};                               // measures, where the policy lets it
};
// The question of a call of the shipped kernels.
ConfigQuestion question_of(const GroupedTuningProblem& problem);
// The question of a call of another kernel.
ConfigQuestion question_of(const Device& device, const ConfigQuery& query,
                           const DeviceOptions& options, const ConfigRequest& parts = {});

// `given` or `parts` override all; with buffers or an align alone, the device chooses the rest.
// Without a chain the user's cache is read, and the device's choice is not cached. Errors are those
// of given_config() and of GroupedConfigChain::choose.
Expected<ConfigDecision> choose_config(const ConfigQuestion& question,
                                       GroupedConfigChain* chain = nullptr);

}  // namespace tessera
