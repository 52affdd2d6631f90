// The two paths of a grouped GEMM on a device, and the choice between them.
#pragma once
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Returns ok if the single kernel of V2 can run the call, else the reason.
Support v2_support(const GroupedGemmCall& call);

// Runs the groups in order, with one launch for each group that has elements in the result. Stops
// after a launch that has findings or was ended by a limit or a signal; that group and the later
// ones are then zeros in result.out.
// Sets the members of `result` that launch() sets: out has all groups, the time is the total, the
// rest of the report is from the last launch. Without a launch, sets only out (zeros) and a note.
// Fails like launch().
Expected<void> run_v1(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);
// Runs all groups in one kernel. Sets the members of `result` that `launch` sets, and fails like
// it. result.out has the result's order of elements, but may have another shape. The call must be
// supported by V2 (v2_support).
Expected<void> run_v2(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result);

// Runs the call on the path of the options; for Auto on V2 if it supports the call. Sets
// result.path and result.why_not_v2. Fails if V2 cannot run the call and is requested
// (ErrorCode::unsupported) or enforced by NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1 (ErrorCode::runtime),
// or if that variable is not an integer. Also fails if an option of V1 is set and V2 runs, for more
// than 1024 groups with use_async_d2h_group_sizes, and like the path.
Expected<void> run_on_path(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                           GroupedGemmRun& result);

// Returns the error for use_async_d2h_group_sizes if V1 does not run.
Diag idle_async();

}  // namespace tessera
