// Validation of a grouped GEMM.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Returns the complete call, with operands quantised if the options request it. Fails with the
// first error, checked in the order operands, sizes, axes, types, scales, linear terms.
Expected<GroupedGemmCall> validate_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                                const GroupedGemmOptions& options);

}  // namespace tessera
