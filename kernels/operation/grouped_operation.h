// Grouped matmul as ejKernel's module layer offers it: a configuration is chosen, operands are
// padded to it, the kernel runs, and the result has its own rows again; on a mesh too.
// (kernels/grouped_matmul/grouped_matmul.h is the layer below, without padding and caches.)
#pragma once  // public
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/operation/mesh.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/selection.h"

namespace tessera {

// The keyword-only parameters of ejKernel's function, followed by ours.
struct GroupedMatmulCall {
  std::optional<DType> preferred_element_type;  // of the result; none: f32
  bool transpose_rhs = false;                   // rhs is [groups, n, k]
  bool interpret = false;  // runs on the interpreter, whichever devices are available
  bool do_padding = true;  // pads m to a multiple of block_m; otherwise m must be one
  Precision precision = Precision::Default;  // rejected by platforms that cannot honour it
  bool use_v2 = false;                       // caches configurations as grouped_matmulv2
  // Applied to the result of each shard, or of the call without shards; keeps shape and type.
  std::function<Tensor(Tensor)> out_shard_callback;
  std::optional<Platform> platform;        // overrides the configuration's platform
  std::optional<GroupedMatmulConfig> cfg;  // the configuration; none: the chain chooses

  // Runs on shards: all three of mesh, in_specs and out_specs, or none.
  std::optional<Mesh> mesh;
  std::optional<std::vector<PartitionSpec>> in_specs;  // of lhs, rhs and group_sizes
  std::optional<PartitionSpec> out_specs;              // of the result
  bool check_vma = false;  // devices that hold the same shard must have equal results

  ExistingOut existing_mode = ExistingOut::Accumulate;  // what happens to existing_out
  GroupWindow::Rows rows = GroupWindow::Global;         // which rows lhs has
  std::string profile;    // name of the interpreter's machine profile; empty: the default one
  DeviceOptions run;      // options of the interpreter run
  ConfigOverlay overlay;  // configurations by key, used before any cache
  std::optional<AutotunePolicy> policy;  // none: environment_policy()
  Tuner tuner;                           // measures configurations if the policy tunes
  // Caches configurations; must outlive the call. Null: the chain of this process, with the user's
  // persistent cache.
  GroupedConfigChain* chain = nullptr;
};

// Operands of a call; all must outlive it.
struct GroupedMatmulOperands {
  const Tensor* lhs = nullptr;           // [m, k]
  const Tensor* rhs = nullptr;           // [groups, k, n]; with transpose_rhs [groups, n, k]
  const Tensor* group_sizes = nullptr;   // [all groups], rows of each
  const Tensor* group_offset = nullptr;  // of shape () or (1,); null: 0
  const Tensor* existing_out = nullptr;  // [m, n]; null: zeros
};

// ejKernel's grouped_matmul: lhs [m, k], rhs [groups, k, n] and group_sizes [groups] give [m, n].
// Null omits an operand. Errors are operands, parameters and specs that do not fit, only some of
// mesh, in_specs and out_specs, and a finding of the run.
//
// On a mesh of simulated devices in_specs splits the operands, each shard is padded and run on its
// own, and out_specs joins the results.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call);

// The cotangents of lhs, rhs and existing_out for the result's cotangent, [m, n] in its type, by
// the configuration of the call itself, each of its operand's shape and type. On a mesh each device
// multiplies its own part of the cotangent; if devices hold copies of a shard, the first computes,
// and the gradients of an operand that several devices read are summed in f32.
// Errors: the errors of the call; a cotangent of another shape or type; integer operands; and
// ErrorCode::unsupported for an out_shard_callback.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const Tensor* group_offset,
                                                    const Tensor* existing_out,
                                                    const GroupedMatmulCall& call);

// The call as tuning sees it: its key is grouped_key(), its candidates are grouped_candidates().
// The mesh is not used.
Expected<GroupedTuningProblem> tuning_problem(const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call);
// The configuration of the call, and how it was chosen.
Expected<ConfigDecision> choose_config(const GroupedMatmulOperands& operands,
                                       const GroupedMatmulCall& call);

}  // namespace tessera
