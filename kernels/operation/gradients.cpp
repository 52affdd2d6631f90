#include "kernels/operation/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/launch/operand_type.h"
#include "kernels/operation/grouped_options.h"
#include "kernels/operation/sharded.h"
#include "kernels/operation/shards.h"

namespace tessera {
namespace {

Expected<void> check_cotangent(const Tensor& cotangent, const Shape& shape) {
  if (cotangent.shape() == shape) return {};
  return error(fmt::format("the cotangent has shape {}, the result has {}",
                           to_string(cotangent.shape()), to_string(shape)));
}

// Of a call without a mesh, by a configuration that was chosen: the rows that the operation pads
// get a cotangent of zeros, and the gradients have the operands' own rows again.
Expected<GroupedMatmulGradients> gradients_by(const Tensor& cotangent,
                                              const GroupedInvocation& call,
                                              const GroupedMatmulConfig& config) {
  const GroupedMatmul operation(call.call->use_v2);
  GroupedMatmulConfig here = TRY(operation.placed(call, config));
  const PaddedCall padded = TRY(padded_call(call, here));
  const std::int64_t rows = call.lhs->dim(0);
  TRY(check_cotangent(cotangent, {rows, call.rhs->dim(call.call->transpose_rhs ? 1 : 2)}));
  GroupedMatmulOptions options = options_on(here.platform, padded.options);
  options.existing_out = padded.existing(call);
  GroupedMatmulGradients gradients = TRY(grouped_matmul_vjp(
      padded.is_padded ? padded_rows(cotangent, padded.padding.rows) : cotangent.clone(),
      padded.lhs(call), *call.rhs, *call.group_sizes, options));
  gradients.lhs = first_rows(std::move(gradients.lhs), rows);
  if (gradients.existing_out)
    gradients.existing_out = first_rows(*std::move(gradients.existing_out), rows);
  return gradients;
}

// The sum of what the devices' parts of an operand get.
class SummedShards {
 public:
  SummedShards(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh)
      : sum_(DType::f32, shape), spec_(spec), mesh_(mesh) {}

  void add(const Tensor& part, std::int64_t device) {
    Tensor own = converted(part, DType::f32);
    const Tensor before = shard(sum_, spec_, mesh_, device);
    for (std::int64_t i = 0; i < own.elements(); ++i) own.as<float>()[i] += before.as<float>()[i];
    place_shard(sum_, own, spec_, mesh_, device);
  }
  // The first rows of it, rounded to the type.
  Tensor result(DType dtype, std::int64_t rows) {
    return converted(first_rows(std::move(sum_), rows), dtype);
  }

 private:
  Tensor sum_;
  const PartitionSpec& spec_;
  const Mesh& mesh_;
};

// A call on a mesh, each device's part after the other's.
class ShardedGradients {
 public:
  ShardedGradients(const GroupedInvocation& call, const GroupedMatmulConfig& config,
                   std::vector<OperandShard> parts)
      : call_(call), config_(config), parts_(std::move(parts)), local_(*call.call) {
    local_.mesh.reset();
    local_.in_specs.reset();
    local_.out_specs.reset();
    local_.platform.reset();
  }

  Expected<GroupedMatmulGradients> of(const Tensor& cotangent) const {
    if (const auto valid = padded_call(part_call(0), config_); !valid)
      return of_device(0, valid.diags());
    const Shape part{parts_.front().lhs.dim(0),
                     parts_.front().rhs.dim(local_.transpose_rhs ? 1 : 2)};
    const Shape whole = TRY(joined_shape(part, out(), mesh()));
    const std::int64_t rows = call_.lhs->dim(0);
    TRY(check_cotangent(cotangent, {std::min(rows, whole[0]), whole[1]}));
    return summed(padded_rows(cotangent, whole[0]));
  }

 private:
  const Mesh& mesh() const { return *call_.call->mesh; }
  const PartitionSpec& in(std::size_t operand) const { return (*call_.call->in_specs)[operand]; }
  const PartitionSpec& out() const { return *call_.call->out_specs; }
  GroupedInvocation part_call(std::int64_t device) const {
    const OperandShard& part = parts_[static_cast<std::size_t>(device)];
    return {&part.lhs,
            &part.rhs,
            &part.sizes,
            call_.group_offset,
            call_.existing_out ? &part.existing : nullptr,
            &local_};
  }

  // Of a cotangent of as many rows as the devices have together.
  Expected<GroupedMatmulGradients> summed(const Tensor& cotangent) const {
    const Shape whole_lhs{rows_of_all_parts(), call_.lhs->dim(1)};
    SummedShards of_lhs(whole_lhs, in(0), mesh()), of_rhs(call_.rhs->shape(), in(1), mesh());
    Tensor of_existing =
        call_.existing_out ? Tensor(cotangent.dtype(), cotangent.shape()) : Tensor();
    for (std::int64_t d = 0; d < mesh().devices(); ++d) {
      if (first_holder(d, out(), mesh()) != d) continue;
      const Expected<GroupedMatmulGradients> gradients =
          gradients_by(shard(cotangent, out(), mesh(), d), part_call(d), config_);
      if (!gradients) return of_device(d, gradients.diags());
      of_lhs.add(gradients->lhs, d);
      of_rhs.add(gradients->rhs, d);
      if (call_.existing_out) place_shard(of_existing, *gradients->existing_out, out(), mesh(), d);
    }
    GroupedMatmulGradients result{of_lhs.result(call_.lhs->dtype(), call_.lhs->dim(0)),
                                  of_rhs.result(call_.rhs->dtype(), call_.rhs->dim(0)),
                                  std::nullopt};
    if (call_.existing_out)
      result.existing_out = first_rows(std::move(of_existing), call_.existing_out->dim(0));
    return result;
  }
  // Those of lhs with the rows that were added so that the devices divide them.
  std::int64_t rows_of_all_parts() const {
    const PartitionSpec& spec = in(0);
    const std::int64_t parts = spec.empty() || !spec[0] ? 1 : mesh().find(*spec[0])->size;
    return parts_.front().lhs.dim(0) * parts;
  }

  const GroupedInvocation& call_;
  const GroupedMatmulConfig& config_;
  const std::vector<OperandShard> parts_;
  GroupedMatmulCall local_;  // of one device
};

Expected<GroupedMatmulGradients> sharded_gradients(const Tensor& cotangent,
                                                   const GroupedInvocation& call,
                                                   GroupedConfigChain& chain) {
  TRY(check_mesh(*call.call));
  if (call.call->check_vma) {
    const ShardedCall product = TRY(create_sharded(call, chain));
    TRY(product.run(*call.lhs, *call.rhs, *call.group_sizes));
  }
  const GroupedMatmulConfig config = TRY(mesh_config(call, chain));
  return ShardedGradients(call, config, TRY(cut_operands(call))).of(cotangent);
}

}  // namespace

Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const Tensor* group_offset,
                                                    const Tensor* existing_out,
                                                    const GroupedMatmulCall& call,
                                                    GroupedConfigChain& chain) try {
  const GroupedInvocation invocation{&lhs, &rhs, &group_sizes, group_offset, existing_out, &call};
  if (call.out_shard_callback)
    return error(ErrorCode::unsupported,
                 "the derivative of out_shard_callback, a function of the caller's, is not known: "
                 "apply it to the cotangent, and leave out_shard_callback out here");
  if (call.mesh || call.in_specs || call.out_specs)
    return sharded_gradients(cotangent, invocation, chain);
  if (call.check_vma)
    return error("check_vma compares the copies of one shard, and the call has no mesh");
  const ConfigDecision decision = TRY(GroupedMatmul(call.use_v2).choose(invocation, chain));
  return gradients_by(cotangent, invocation, decision.config);
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
