// Grouped matmul with the interface of ejKernel's module layer: chooses a configuration, pads the
// operands, runs the kernel and removes the padding from the result; also on a mesh.
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

// Options of a call: the keyword-only parameters of ejKernel's function, then additional ones.
struct GroupedMatmulCall {
  std::optional<DType> preferred_element_type;  // result type; none: f32
  bool transpose_rhs = false;                   // rhs is [groups, n, k]
  bool interpret = false;  // runs on the interpreter, whichever devices are available
  bool do_padding = true;  // pads m to a multiple of block_m; otherwise m must be one
  Precision precision = Precision::Default;  // rejected by platforms that cannot honour it
  bool use_v2 = false;                       // caches configurations as grouped_matmulv2
  // Applied to the result of each shard, or to the whole result if the call has no mesh. Must not
  // change the shape or type.
  std::function<Tensor(Tensor)> out_shard_callback;
  std::optional<Platform> platform;        // overrides the configuration's platform
  std::optional<GroupedMatmulConfig> cfg;  // the configuration; none: chosen by the chain

  // For a run on shards; mesh, in_specs and out_specs must be given together.
  std::optional<Mesh> mesh;
  std::optional<std::vector<PartitionSpec>> in_specs;  // for lhs, rhs and group_sizes
  std::optional<PartitionSpec> out_specs;              // for the result
  bool check_vma = false;  // fails if devices with the same shard have different results

  ExistingOut existing_mode = ExistingOut::Accumulate;  // use of existing_out
  GroupWindow::Rows rows = GroupWindow::Global;         // rows that lhs contains
  std::string profile;    // name of the interpreter's machine profile; empty: the default one
  DeviceOptions run;      // options of the interpreter run
  ConfigOverlay overlay;  // configurations by key, used before any cache
  std::optional<AutotunePolicy> policy;  // none: environment_policy()
  Tuner tuner;                           // measures configurations if the policy tunes
  // Caches configurations. Must outlive the call. Null: the chain of this process, which uses the
  // user's persistent cache.
  GroupedConfigChain* chain = nullptr;
};

// Operands of a call. Must outlive the call.
struct GroupedMatmulOperands {
  const Tensor* lhs = nullptr;           // [m, k]
  const Tensor* rhs = nullptr;           // [groups, k, n]; with transpose_rhs [groups, n, k]
  const Tensor* group_sizes = nullptr;   // [all groups], number of rows per group
  const Tensor* group_offset = nullptr;  // shape () or (1,); null: 0
  const Tensor* existing_out = nullptr;  // [m, n]; null: zeros
};

// ejKernel's grouped_matmul: returns the product [m, n] of lhs [m, k], rhs [groups, k, n] and
// group_sizes [groups]. group_offset and existing_out may be null. Fails if operands, parameters
// or specs do not fit, if only some of mesh, in_specs and out_specs are given, if the run has a
// finding, or if a limit or a signal ended it.
//
// On a mesh of simulated devices, in_specs splits the operands, each shard is padded and run
// separately, and out_specs joins the results.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call);

// Returns the cotangents of lhs, rhs and existing_out, each with the shape and type of its operand.
// Uses the configuration of the call.
// cotangent: the cotangent of the result, [m, n], with the type of the result.
// On a mesh, each device multiplies its part of the cotangent. If several devices hold the same
// shard of the result, only the first one computes. Gradients of an operand shard that several
// devices read are summed in f32.
// Fails with the errors of the call, if the cotangent has another shape or type, for integer
// operands, and with ErrorCode::unsupported if there is an out_shard_callback.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const Tensor* group_offset,
                                                    const Tensor* existing_out,
                                                    const GroupedMatmulCall& call);

// Returns the tuning problem of the call, with key grouped_key() and candidates
// grouped_candidates(). Ignores the mesh. Fails if the operands do not fit, if the platform has no
// implementation, and for an unknown profile.
Expected<GroupedTuningProblem> tuning_problem(const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call);
// Returns the configuration of the call, and how it was chosen by call.chain. Ignores the mesh.
// Fails like tuning_problem() and GroupedConfigChain::choose.
Expected<ConfigDecision> choose_config(const GroupedMatmulOperands& operands,
                                       const GroupedMatmulCall& call);

}  // namespace tessera
