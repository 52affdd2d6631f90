// gmm: grouped matmul, one product per group of rows.
#include "cli/args/operation_options.h"
#include "cli/operations/grouped_matmul_call.h"
#include "cli/operations/operation_command.h"

namespace tessera::cli {
Command gmm_command() {
  return operation_command<grouped_matmul_call<GroupedKind::gmm>>(
      "gmm", "grouped matmul: out[rows of group g] = lhs[rows of group g] . rhs[g]",
      "  gmm-run gmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
      "  gmm-run gmm --m 4096 --groups 8 --group-sizes zipf:1.2 --k 512 --n 512 --dtype f32\n"
      "  gmm-run gmm --group-sizes 5,0,9 --k 96 --n 64 --tiling 8,32,32 --schedule random:7\n"
      "  gmm-run gmm --lhs x.npy --rhs weights.safetensors#w1 --sizes sizes.npy --out y.npy\n",
      operation_options(problem_options(GroupedKind::gmm)));
}

}  // namespace tessera::cli
