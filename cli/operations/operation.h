// Runs gmm or tgmm on operands and judges the result.
#pragma once
#include <optional>

#include "cli/args/operands.h"
#include "cli/args/problem.h"
#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "core/report/finding.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

struct Outcome {
  Status status = Status::ok;
  GroupedMatmulRun run;
  std::optional<Verdict> verdict;   // none when the run was not checked
  std::optional<Finding> mismatch;  // what the verdict says when it is not ok
};

// `check` none leaves the judging out. `options` are those of the request, perhaps with observers.
Expected<Outcome> perform(const Problem& problem, const Operands& operands,
                          const RunRequest& request, const RunOptions& options, Check check);

}  // namespace tessera::cli
