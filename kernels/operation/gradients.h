// The gradients of grouped matmul as a module calls it (grouped_operation.h), on a mesh too.
#pragma once  // public
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// The cotangents of lhs, rhs and existing_out for that of the result, [m, n] in its type: those of
// the same call's grouped_matmul, by the configuration that it takes, each of its operand's shape
// and type. On a mesh each device multiplies its own part of the cotangent; of copies of one shard,
// which are one result, the first passes it on, and what several devices read of an operand is the
// sum of theirs, added in f32. check_vma compares the copies first, as the call itself does.
// Errors: those of the call; a cotangent of another shape or type; integer operands; and
// ErrorCode::unsupported for an out_shard_callback, whose derivative nobody knows.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(
    const Tensor& cotangent, const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
    const Tensor* group_offset, const Tensor* existing_out, const GroupedMatmulCall& call,
    GroupedConfigChain& chain = grouped_config_chain());

}  // namespace tessera
