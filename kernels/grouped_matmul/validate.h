// The operands and options of a grouped matmul, judged before anything runs: what is left is a
// product that can be computed. Nothing is chosen here.
#pragma once
#include "core/kernel/grouped_desc.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

// What the call computes; lhs and rhs have the operands' own types. Texts that an upstream project
// has are that project's, word for word.
Expected<GroupedDesc> describe_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                   const GroupedMatmulOptions& options);
Expected<GroupedDesc> describe_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const GroupedMatmulOptions& options);

}  // namespace tessera
