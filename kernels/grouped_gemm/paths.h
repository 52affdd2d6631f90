// The two paths of a grouped GEMM on a device, and which of them a call takes.
#pragma once
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Whether the one kernel of V2 can run the call, and why not.
Support v2_support(const GroupedGemmCall& call);

// Each path fills result.out, in the result's order of elements, with its report; result has its
// notes. Errors are those of `launch`. V1: group after group. A launch with findings is the last
// one.
Expected<void> run_v1(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);
// V2: all groups in one kernel, of a call that v2_support allows.
Expected<void> run_v2(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);

// On the path that the options name, else on V2 where it can; result.path and result.why_not_v2 say
// which. Errors are a path V2 that is named, or enforced by NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1, and
// cannot run the call, and an option of V1 where V2 runs.
Expected<void> run_on_path(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                           GroupedGemmRun& result);

// The error of use_async_d2h_group_sizes where V1 does not run.
Diag idle_async();

}  // namespace tessera
