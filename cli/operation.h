// Runs gmm or tgmm on operands and judges the result.
#pragma once
#include <optional>

#include "cli/console.h"
#include "cli/operands.h"
#include "cli/problem.h"
#include "cli/run_request.h"
#include "core/finding.h"
#include "kernels/check.h"
#include "kernels/grouped_matmul.h"

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
