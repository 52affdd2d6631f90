// An operation with configurations, as the chain (selection.h) and a tuner use it.
#pragma once  // public
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "kernels/tuning/operation_key.h"

namespace tessera {

// Cfg is its configuration, Out the result of a call, Invocation the call. Errors of all functions
// are calls that are not valid.
template <typename Cfg, typename Out, typename Invocation>
class OperationKernel {
 public:
  virtual ~OperationKernel() = default;
  // Its name in keys of configurations.
  virtual std::string_view op_id() const = 0;
  // Part of these keys: another version does not use the configurations of this one.
  virtual std::string_view version() const { return "1"; }

  // The key of the call: calls of equal keys share configurations.
  virtual Expected<OperationKey> key(const Invocation& call) const = 0;
  // A good configuration without measuring.
  virtual Expected<Cfg> heuristic_cfg(const Invocation& call) const = 0;
  // Configurations worth measuring: the same for the same call, never empty, and no two equal once
  // they are clamped to the problem.
  virtual Expected<std::vector<Cfg>> candidate_cfgs(const Invocation& call) const {
    Expected<Cfg> only = heuristic_cfg(call);
    if (!only) return only.diags();
    return std::vector<Cfg>{*std::move(only)};
  }
  // Runs the call with a configuration.
  virtual Expected<Out> run(const Invocation& call, const Cfg& config) const = 0;
};

}  // namespace tessera
