// tgmm: gradient of the grouped matmul for the weights.
#include "cli/args/operation_options.h"
#include "cli/operations/grouped_matmul_call.h"
#include "cli/operations/operation_command.h"

namespace tessera::cli {
Command tgmm_command() {
  return operation_command<grouped_matmul_call<GroupedKind::tgmm>>(
      "tgmm", "the gradient of gmm for the weights: out[g] = lhs[:, rows of g] . rhs[rows of g, :]",
      "  gmm-run tgmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
      "  gmm-run tgmm --group-sizes 100,0,50 --k 64 --n 32 --existing-out accumulate\n",
      operation_options(problem_options(GroupedKind::tgmm)));
}

}  // namespace tessera::cli
