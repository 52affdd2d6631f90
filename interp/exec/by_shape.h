// Execution of the ops that share a shape (core/program/op_shapes.h).
#pragma once
#include "core/program/op_shapes.h"
#include "interp/exec/exec.h"

namespace tessera {

// Execute one op on the core. Return Step::stop after a finding, for example on shapes that do not
// match; else Step::next. dim: the reduced dimension. op: determines the permutation.
Step binary(shapes::Binary kind, const Slice& dst, const Slice& a, const Slice& b, Core& core);
Step integers(shapes::Integers kind, const Slice& dst, const Slice& a, const Slice& b, Core& core);
Step function(shapes::Function kind, const Slice& dst, const Slice& src, Core& core);
Step reduce(shapes::Reduction kind, std::int64_t dim, const Slice& dst, const Slice& src,
            Core& core);
Step permute(const Op& op, const Slice& dst, const Slice& src, Core& core);

}  // namespace tessera
