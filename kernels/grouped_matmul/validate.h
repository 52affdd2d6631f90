// Validation of the operands and options of a grouped matmul. The result describes a product that
// can be computed; nothing is chosen here.
#pragma once
#include "core/kernel/grouped_desc.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

// Return the description of the product; lhs and rhs keep the types of the operands. Fail with the
// first error: ErrorCode::invalid_type for operand types that are not multiplied,
// ErrorCode::unsupported for a result type. Messages that an upstream project also has are copied
// word for word.
Expected<GroupedDesc> describe_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                   const GroupedMatmulOptions& options);
Expected<GroupedDesc> describe_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const GroupedMatmulOptions& options);

}  // namespace tessera
