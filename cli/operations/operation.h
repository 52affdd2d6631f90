// Runs gmm or tgmm on operands and judges the result.
#pragma once
#include <optional>

#include "cli/args/operands.h"
#include "cli/args/problem.h"
#include "cli/args/run_request.h"
#include "cli/operations/operation_call.h"
#include "cli/reports/console.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

Expected<OperationRun> launch_grouped(const Problem& problem, const Operands& operands,
                                      const RunRequest& request, const RunOptions& options);
Verdict judge_grouped(const Problem& problem, const Operands& operands, const RunRequest& request,
                      const Tensor& out, const CheckOptions& how);

struct Outcome {
  Status status = Status::ok;
  OperationRun run;
  std::optional<Verdict> verdict;  // none when the run was not checked
};

// `check` none leaves the judging out. `options` are those of the request, perhaps with observers.
Expected<Outcome> perform(const Problem& problem, const Operands& operands,
                          const RunRequest& request, const RunOptions& options, Check check);

}  // namespace tessera::cli
