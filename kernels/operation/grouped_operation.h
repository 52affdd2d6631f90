// Grouped matmul as ejKernel's module layer offers it: a configuration is chosen by the chain,
// operands are padded to it, the registered implementation runs, and the result has its own rows
// again. (kernels/grouped_matmul/grouped_matmul.h is the layer below: what the kernels take.)
#pragma once  // public
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/operation/mesh.h"
#include "kernels/operation/registry.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/kernel.h"
#include "kernels/tuning/selection.h"

namespace tessera {

// The keyword-only parameters of ejKernel's function, and ours behind them.
struct GroupedMatmulCall {
  std::optional<DType> preferred_element_type;  // of the result; none: f32
  bool transpose_rhs = false;                   // rhs is [groups, n, k]
  bool interpret = false;  // runs on the interpreter, whichever devices are available
  bool do_padding = true;  // pads m to a multiple of block_m; else m must be one
  Precision precision = Precision::Default;  // refused by platforms that cannot honour it
  bool use_v2 = false;  // looks up and caches the algorithm as grouped_matmulv2
  // Applied to the result of each shard, or of the call without shards; keeps shape and type.
  std::function<Tensor(Tensor)> out_shard_callback;
  std::optional<Platform> platform;        // overrides that of the configuration
  std::optional<GroupedMatmulConfig> cfg;  // the configuration; none: the chain chooses

  // Runs on shards: all three of mesh, in_specs and out_specs, or none.
  std::optional<Mesh> mesh;
  std::optional<std::vector<PartitionSpec>> in_specs;  // of lhs, rhs and group_sizes
  std::optional<PartitionSpec> out_specs;              // of the result
  bool check_vma = false;  // devices that hold the same shard must have equal results

  ExistingOut existing_mode = ExistingOut::Accumulate;  // what happens to existing_out
  GroupWindow::Rows rows = GroupWindow::Global;         // which rows lhs has
  std::string profile;    // name of the interpreter's machine profile; empty: the default one
  DeviceOptions run;      // of the interpreter: schedule, checks, observers
  ConfigOverlay overlay;  // configurations by key, used before any cache
  std::optional<AutotunePolicy> policy;  // none: environment_policy()
  Tuner tuner;                           // measures configurations where the policy tunes
};

// One call: operands and parameters, which are the caller's.
struct GroupedInvocation {
  const Tensor* lhs = nullptr;              // [m, k]
  const Tensor* rhs = nullptr;              // [groups, k, n]; with transpose_rhs [groups, n, k]
  const Tensor* group_sizes = nullptr;      // [all groups], rows of each
  const Tensor* group_offset = nullptr;     // of shape () or (1,); null: 0
  const Tensor* existing_out = nullptr;     // [m, n]; null: zeros
  const GroupedMatmulCall* call = nullptr;  // not null
};

// The chain of this process that chooses the configurations of this operation, with the user's
// persistent cache.
GroupedConfigChain& grouped_config_chain();

// The operation as the tuning framework sees it.
class GroupedMatmul
    : public OperationKernel<GroupedMatmulConfig, GroupedMatmulRun, GroupedInvocation> {
 public:
  // `registry` must outlive it.
  explicit GroupedMatmul(bool use_v2 = false, const KernelRegistry& registry = kernel_registry())
      : registry_(registry), use_v2_(use_v2) {}

  // The name under which it is registered and cached.
  std::string_view op_id() const override {
    return use_v2_ ? "grouped_matmulv2" : "grouped_matmul";
  }
  // The registered implementation for the platform and backend of the configuration, or the error
  // of KernelRegistry::get.
  Expected<const KernelSpec*> get_impl(const GroupedMatmulConfig& config) const;
  Expected<OperationKey> key(const GroupedInvocation& call) const override;
  Expected<GroupedMatmulConfig> heuristic_cfg(const GroupedInvocation& call) const override;
  Expected<std::vector<GroupedMatmulConfig>> candidate_cfgs(
      const GroupedInvocation& call) const override;
  // Runs the call with this configuration: pads the operands, calls the implementation, and cuts
  // the padding off the result. A finding is an error.
  Expected<GroupedMatmulRun> run(const GroupedInvocation& call,
                                 const GroupedMatmulConfig& config) const override;
  // The configuration on the platform where the call runs by it.
  Expected<GroupedMatmulConfig> placed(const GroupedInvocation& call,
                                       const GroupedMatmulConfig& config) const;
  // The configuration that the chain chooses, and how it came to it.
  Expected<ConfigDecision> choose(const GroupedInvocation& call, GroupedConfigChain& chain) const;

 private:
  Expected<GroupedTuningProblem> problem(const GroupedInvocation& call) const;
  const KernelRegistry& registry_;
  bool use_v2_;
};

// ejKernel's grouped_matmul: lhs [m, k], rhs [groups, k, n] and group_sizes [groups] give [m, n].
// Null leaves an operand out. Runs on shards when the call has mesh, in_specs and out_specs; only
// some of them are an error, as are operands and parameters that do not fit, and a finding of the
// run.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call,
                                GroupedConfigChain& chain = grouped_config_chain());

// How operands are padded.
struct Padding {
  std::int64_t rows = 0;  // m and the zero rows behind it
  Tiling tiling;          // of the configuration, at most as large as the padded product
};
// The padding of m rows for a configuration: to a multiple of its block_m. Errors are those of
// check_config, and rows that block_m does not divide where `do_padding` is false.
Expected<Padding> grouped_padding(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const GroupedMatmulConfig& config, bool do_padding);
// A copy of a matrix with zero rows behind its own, `rows` in all.
Tensor padded_rows(const Tensor& tensor, std::int64_t rows);
// The first `rows` rows of a matrix.
Tensor first_rows(Tensor tensor, std::int64_t rows);

}  // namespace tessera
