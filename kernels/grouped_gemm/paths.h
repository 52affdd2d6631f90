// The two paths of a grouped GEMM on a device, and the choice between them.
#pragma once
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Checks whether the single kernel of V2 can run the call; returns the reason if not.
Support v2_support(const GroupedGemmCall& call);

// Both paths set result.out, in the result's order of elements, its notes and its report. They fail
// like `launch`. V1 runs one group after another, and stops after a launch with findings.
Expected<void> run_v1(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);
// V2 runs all groups in one kernel. The call must be supported by V2 (v2_support).
Expected<void> run_v2(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);

// Runs the call on the path of the options; for Auto on V2 if it supports the call. Sets
// result.path and result.why_not_v2. Fails if V2 is requested, or enforced by
// NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1, and cannot run the call, and if an option of V1 is set and V2
// runs.
Expected<void> run_on_path(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                           GroupedGemmRun& result);

// Returns the error for use_async_d2h_group_sizes if V1 does not run.
Diag idle_async();

}  // namespace tessera
