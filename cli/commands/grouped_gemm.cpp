// grouped-gemm: TransformerEngine's grouped GEMM, checked against the reference.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "cli/args/grouped_gemm_reader.h"
#include "cli/operations/operation_command.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  return GroupedGemmReader(arguments).read();
}

Options operand_options() {
  return {
      {"kind", "forward|dgrad|wgrad", "the product or one of its gradients; default forward"},
      {"m", "N", "rows of lhs; optional if the group sizes give it"},
      {"k", "N", "rows of the weights of a group"},
      {"n", "N", "columns of the weights of a group"},
      {"transpose-rhs", "",
       "the weights, also in files, are stored as [groups, n, k], not [groups, k, n]"},
      {"contracting", "L/R",
       "contracted axes of lhs and of rhs; default by --kind and --transpose-rhs, 1/1"},
      {"lhs-first-dims", "LIST|@FILE.npy", "sizes of the groups along lhs's leading axes", false,
       FileUse::reads},
      {"lhs-last-dims", "LIST|@FILE.npy",
       "sizes of the groups along lhs's trailing axes; with both options each group has a "
       "shape of its own, and lhs is (1, elements)",
       false, FileUse::reads},
      {"rhs-first-dims", "LIST|@FILE.npy",
       "sizes of the groups along rhs's leading axes: the contraction is ragged", false,
       FileUse::reads},
      {"rhs-last-dims", "LIST|@FILE.npy", "sizes of the groups along rhs's trailing axes", false,
       FileUse::reads},
      {"alpha", "LIST|@FILE.npy",
       "the factor of the product: one number, or one for each group; default 1", false,
       FileUse::reads},
      {"beta", "LIST|@FILE.npy",
       "the factor of C: one number, or one for each group; default 0, with which C is not "
       "read",
       false, FileUse::reads},
      {"existing", "FILE", "the tensor C; with --beta and without this option C is generated",
       false, FileUse::reads},
      {"bias", "[FILE]",
       "add a row to each row of a group, [groups, n]; without FILE it is generated", false,
       FileUse::reads, true},
  };
}

Options execution_options() {
  static const std::string quantised_values = fmt::format("{}", fmt::join(quantised_names(), "|")),
                           operands_help =
                               fmt::format("element type of lhs and rhs: {}; default bf16",
                                           fmt::join(grouped_gemm_operand_names(), " "));
  return {
      {"scaling", "none|delayed|mxfp8|current|nvfp4|nvfp4-2d",
       "quantisation of the operands, by this call or before it; nvfp4 is rejected"},
      {"lhs-quantised", quantised_values, "element type of the quantised lhs; default e4m3"},
      {"rhs-quantised", quantised_values, "element type of the quantised rhs"},
      {"lhs-scale-inv", "FILE",
       "scales of an lhs that is already quantised: f32 for each group; for mxfp8 e8m0, flat and "
       "swizzled, or as a matrix like lhs",
       false, FileUse::reads},
      {"rhs-scale-inv", "FILE", "scales of an rhs that is already quantised, as for lhs", false,
       FileUse::reads},
      {"lhs-scale", "LIST|@FILE.npy",
       "with --scaling delayed: scale factor of lhs; default: from the largest magnitude in the "
       "previous call",
       false, FileUse::reads},
      {"rhs-scale", "LIST|@FILE.npy", "with --scaling delayed: scale factor of rhs, as for lhs",
       false, FileUse::reads},
      {"overflow", "saturate|ieee",
       "quantised elements beyond the largest number become that number (saturate), or inf, in "
       "e4m3 NaN (ieee); default saturate"},
      {"scale-rounding", "up|nearest|down",
       "how scales of mxfp8 are rounded to powers of two; default up"},
      {"path", "auto|v1|v2", "v1: one launch for each group; v2: one kernel for all groups"},
      {"async-sizes", "", "with --path v1: fetch the sizes ahead, of at most 1024 groups"},
      {"group-offset", "N", "always rejected, as in TransformerEngine"},
      {"dtype", "TYPE", operands_help},
      {"out-dtype", "TYPE",
       "element type of the result, C and the bias: f32 bf16 f16; default f32"},
      {"outliers", "N", "every N-th generated element is 1000 times as large"},
      {"sizes", "FILE", "the group sizes: .npy or FILE.safetensors#tensor", false, FileUse::reads},
  };
}

}  // namespace

Command grouped_gemm_command() {
  Options options = operand_options();
  const Options execution = execution_options();
  options.insert(options.end(), execution.begin(), execution.end());
  return operation_command<prepare>(
      "grouped-gemm",
      "grouped GEMM: alpha * lhs[g] . rhs[g] + beta * c[g] + bias[g], scaled or not",
      "  gmm-run grouped-gemm --group-sizes 100,0,50 --k 64 --n 32 --bias --interpret\n"
      "  gmm-run grouped-gemm --kind wgrad --group-sizes 64,0,32 --k 64 --n 32 --scaling mxfp8\n"
      "  gmm-run grouped-gemm --group-sizes 5,0,9 --k 96 --n 64 --alpha 0.5 --beta 1,0,2\n"
      "  gmm-run grouped-gemm --lhs-shape 2,3,8 --lhs-first-dims 4,2 --rhs-shape 2,8,4,5 "
      "--contracting 2/1\n"
      "  gmm-run grouped-gemm --lhs-first-dims 4,2 --lhs-last-dims 8,3 --rhs-first-dims 8,3 "
      "--rhs-last-dims 5,7 --contracting 1/0\n",
      product_options(std::move(options)));
}

}  // namespace tessera::cli
