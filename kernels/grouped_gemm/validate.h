// A grouped GEMM judged before anything runs.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// The call with all that its parts tell, its operands quantised where the options say so. The first
// thing that is wrong is the error: operands, sizes, axes, types, scales, then linear terms.
Expected<GroupedGemmCall> validate_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                                const GroupedGemmOptions& options);

}  // namespace tessera
