#include "cli/args/problem.h"

#include <numeric>

#include "cli/args/operation_options.h"

namespace tessera::cli {
std::int64_t Problem::processed_rows() const {
  const auto first = desc.sizes.begin() + desc.group_offset;
  return std::accumulate(first, first + desc.local_groups, std::int64_t{0});
}

Options problem_options(GroupedKind kind) {
  Options options = {
      {"m", "N", "rows of lhs; optional if the group sizes give it"},
      {"k", "N", "columns of lhs"},
      {"n", "N", "columns of the result"},
      {"groups", "N", "number of groups, if the sizes do not give it"},
      {"group-sizes", "LIST|NAME|@FILE.npy",
       "100,150,50; or uniform, multinomial, zipf:1.2, onehot, empty:50, jitter:30 by --seed",
       false, FileUse::reads},
      {"dtype", "TYPE", operand_types_help()},
      {"out-dtype", "TYPE", "element type of the result, also i32; default f32"},
      {"group-offset", "N", "the first group that is processed"},
      {"local-groups", "N", "number of groups to process; default all from the first"},
      {"rows", "global|local",
       "row 0 of lhs belongs to group 0 (global) or to the first processed group (local)"},
      {"existing-out", "accumulate|overwrite", "add to an existing result, or replace it"},
      {"existing", "FILE", "the existing result; without --existing-out it is added to", false,
       FileUse::reads},
      {"tiling", "tm,tk,tn", "sides of the tiles; default 128,128,128 or the profile's"},
      {"buffers", "N",
       "slots of each input window; default 2; on CUDA 2 means as many slots as fit"},
      {"config", "FILE|JSON", "tiling and stages as a configuration: {\"block_m\": 64, ...}", false,
       FileUse::reads},
      {"program", "FILE.tsr",
       kind == GroupedKind::gmm ? "its kernel gmm runs in place of the shipped one"
                                : "its kernel tgmm runs in place of the shipped one",
       false, FileUse::reads},
      {"precision", "default|high|highest", "all compute in f32 on the interpreter"},
      {"strict-sum", "", "the group sizes must sum to m"},
      {"fill", "normal|uniform|integers", "data of operands that are not given"},
      {"seed", "N", "seed of operands and group sizes; default 0"},
      {"lhs", "FILE",
       kind == GroupedKind::gmm ? "[m, k]; .npy or FILE.safetensors#tensor"
                                : "[k, m]; .npy or FILE.safetensors#tensor",
       false, FileUse::reads},
      {"rhs", "FILE", "the same", false, FileUse::reads},
      {"sizes", "FILE", "the group sizes, the same", false, FileUse::reads},
  };
  if (kind == GroupedKind::gmm) {
    options.insert(options.begin() + 7, {"transpose-rhs", "", "rhs is stored [groups, n, k]"});
  } else {
    options.push_back(
        {"lhs-layout", "km|mk", "how files of lhs are stored, --lhs and --out lhs=; default km"});
  }
  return options;
}

}  // namespace tessera::cli
