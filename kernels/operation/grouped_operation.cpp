#include "kernels/operation/grouped_operation.h"

#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/operation/grouped_call.h"
#include "kernels/operation/sharded.h"

namespace tessera {
namespace {

bool has_mesh(const GroupedMatmulCall& call) {
  return call.mesh || call.in_specs || call.out_specs;
}

Expected<GroupedMatmulConfig> config_of(const GroupedMatmulOperands& operands,
                                        const GroupedMatmulCall& call) {
  if (call.check_vma)
    return error("check_vma compares the copies of one shard, and the call has no mesh");
  return TRY(choose_config(operands, call)).config;
}

}  // namespace

Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call) try {
  const GroupedMatmulOperands operands{&lhs, &rhs, &group_sizes, group_offset, existing_out};
  if (has_mesh(call)) return product_on_mesh(operands, call);
  const GroupedMatmulConfig config = TRY(config_of(operands, call));
  return called_back(call, TRY(run_by(operands, call, config)).out);
} catch (...) {
  return given_up("multiplying groups");
}

Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const Tensor* group_offset,
                                                    const Tensor* existing_out,
                                                    const GroupedMatmulCall& call) try {
  const GroupedMatmulOperands operands{&lhs, &rhs, &group_sizes, group_offset, existing_out};
  if (call.out_shard_callback)
    return error(ErrorCode::unsupported,
                 "the derivative of out_shard_callback, which is the caller's function, is not "
                 "known: apply it to the cotangent, and omit out_shard_callback here");
  if (has_mesh(call)) return gradients_on_mesh(cotangent, operands, call);
  return gradients_by(cotangent, operands, call, TRY(config_of(operands, call)));
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
