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

// The keyword-only parameters.
struct GroupedMatmulCall {
  std::optional<DType> preferred_element_type;  // none: f32
  bool transpose_rhs = false;
  bool interpret = false;  // the platform is the interpreter, whatever is there
  bool do_padding = true;  // false: m must be a multiple of block_m
  Precision precision = Precision::Default;
  bool use_v2 = false;  // the algorithm is looked up, logged and cached as grouped_matmulv2
  // Applied to each shard's result; without shards to the one result.
  std::function<Tensor(Tensor)> out_shard_callback;
  std::optional<Platform> platform;  // in place of the configuration's
  std::optional<GroupedMatmulConfig> cfg;

  // All three, or none.
  std::optional<Mesh> mesh;
  std::optional<std::vector<PartitionSpec>> in_specs;  // of lhs, rhs and group_sizes
  std::optional<PartitionSpec> out_specs;
  bool check_vma = false;  // copies of one shard must be equal

  ExistingOut existing_mode = ExistingOut::Accumulate;
  GroupWindow::Rows rows = GroupWindow::Global;
  std::string profile;  // of the interpreter's machine; empty: the default one
  DeviceOptions run;    // of the interpreter: schedule, checks, observers
  Tuner tuner;          // when the policy tunes
};

// One call: what is multiplied, and how.
struct GroupedInvocation {
  const Tensor* lhs = nullptr;           // [m, k]
  const Tensor* rhs = nullptr;           // [groups, k, n], or [groups, n, k]
  const Tensor* group_sizes = nullptr;   // [groups of the whole]
  const Tensor* group_offset = nullptr;  // of shape () or (1,)
  const Tensor* existing_out = nullptr;  // [m, n]
  const GroupedMatmulCall* call = nullptr;
};

using GroupedConfigChain = ConfigSelectorChain<GroupedMatmulConfig>;
// Of this process, with the user's persistent cache.
GroupedConfigChain& grouped_config_chain();

class GroupedMatmul
    : public OperationKernel<GroupedMatmulConfig, GroupedMatmulRun, GroupedInvocation> {
 public:
  explicit GroupedMatmul(bool use_v2 = false, const KernelRegistry& registry = kernel_registry())
      : registry_(registry), use_v2_(use_v2) {}

  std::string_view op_id() const override {
    return use_v2_ ? "grouped_matmulv2" : "grouped_matmul";
  }
  // What the registry has for the platform and backend of the configuration.
  Expected<const KernelSpec*> get_impl(const GroupedMatmulConfig& config) const;
  Expected<OperationKey> key(const GroupedInvocation& call) const override;
  Expected<GroupedMatmulConfig> heuristic_cfg(const GroupedInvocation& call) const override;
  Expected<std::vector<GroupedMatmulConfig>> candidate_cfgs(
      const GroupedInvocation& call) const override;
  // With this configuration: pads, cuts, calls, slices. The report's findings are errors here.
  Expected<GroupedMatmulRun> run(const GroupedInvocation& call,
                                 const GroupedMatmulConfig& config) const override;
  // Asks the chain.
  Expected<Decision<GroupedMatmulConfig>> choose(const GroupedInvocation& call,
                                                 GroupedConfigChain& chain) const;

 private:
  Expected<GroupedTuningProblem> problem(const GroupedInvocation& call) const;
  const KernelRegistry& registry_;
  bool use_v2_;
};

// The public function, in ejKernel's order; nothing is left out but by null. Runs on shards when
// the call has a mesh and specs; some of them alone are an error.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call,
                                GroupedConfigChain& chain = grouped_config_chain());

// What padding by `config` makes of m rows, and the tiling that then fits: reference 7.4.
struct Padding {
  std::int64_t rows = 0;
  Tiling tiling;
};
Expected<Padding> grouped_padding(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const GroupedMatmulConfig& config, bool do_padding);
// `tensor` with zero rows after its own, up to `rows`.
Tensor padded_rows(const Tensor& tensor, std::int64_t rows);
// The first `rows` rows.
Tensor first_rows(Tensor tensor, std::int64_t rows);

}  // namespace tessera
