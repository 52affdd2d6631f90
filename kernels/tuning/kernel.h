// An operation with configurations: what the chain (selection.h) and a tuner need of it.
#pragma once  // public
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "kernels/tuning/operation_key.h"

namespace tessera {

template <typename Cfg, typename Out, typename Invocation>
class OperationKernel {
 public:
  virtual ~OperationKernel() = default;
  virtual std::string_view op_id() const = 0;
  virtual std::string_view version() const { return "1"; }

  virtual Expected<OperationKey> key(const Invocation& call) const = 0;
  virtual Expected<Cfg> heuristic_cfg(const Invocation& call) const = 0;
  // Pure and never empty; no two are equal once they are clamped to the problem.
  virtual Expected<std::vector<Cfg>> candidate_cfgs(const Invocation& call) const {
    Expected<Cfg> only = heuristic_cfg(call);
    if (!only) return only.diags();
    return std::vector<Cfg>{*std::move(only)};
  }
  virtual Expected<Out> run(const Invocation& call, const Cfg& config) const = 0;
};

}  // namespace tessera
