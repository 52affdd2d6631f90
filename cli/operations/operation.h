// Runs gmm or tgmm on operands and judges the result.
#pragma once
#include "cli/args/operands.h"
#include "cli/args/problem.h"
#include "cli/args/run_request.h"
#include "cli/operations/operation_call.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

Expected<OperationRun> launch_grouped(const Problem& problem, const Operands& operands,
                                      const RunRequest& request, const RunOptions& options);
Verdict judge_grouped(const Problem& problem, const Operands& operands, const RunRequest& request,
                      const Tensor& out, const CheckOptions& how);

}  // namespace tessera::cli
