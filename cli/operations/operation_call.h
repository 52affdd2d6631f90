// What the operations on host tensors have in common on the command line: operands from files or
// from the seed, one run, a verdict and one report.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "cli/command.h"
#include "cli/reports/console.h"
#include "core/data/tensor_file.h"
#include "core/kernel/tiling.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

// A call that is ready to run; what it needs stays alive in its functions.
struct OperationCall {
  RunRequest request;
  Json shape = Json::object();
  std::string shape_text;  // "m 300, k 64, n 32"
  std::vector<std::int64_t> group_sizes;
  std::string types;  // "bf16 . bf16 -> f32"
  DType dtype = DType::bf16, out_dtype = DType::f32;
  std::int64_t flops = 0;
  std::int64_t launches = 1;  // of which a trace, a schedule, a simulated time or a proof is of one
  bool whole = false;         // operands are small whole numbers
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> lines;  // more of the report: label and text
  Json more = Json::object();                              // and more fields of its object
  std::function<Expected<GroupedMatmulRun>(const RunOptions&)> run;
  std::function<Verdict(const Tensor& out, const CheckOptions&)> judge;
};

using PrepareOperation = Expected<OperationCall> (*)(const Arguments&);

int run_operation(PrepareOperation prepare, const Arguments& arguments, Console& console);
// The same call for `verify`.
Expected<Prepared> verifiable_operation(PrepareOperation prepare, const Arguments& arguments);
template <PrepareOperation prepare>
int run_operation(const Arguments& arguments, Console& console) {
  return run_operation(prepare, arguments, console);
}
template <PrepareOperation prepare>
Expected<Prepared> verifiable_operation(const Arguments& arguments) {
  return verifiable_operation(prepare, arguments);
}

// run_options() with the reference among the devices, after those of the operation itself.
Options operation_options(Options own);

// How a result is to be checked; refuses what cannot be.
Check choose_check(const Arguments& arguments, std::int64_t flops, const RunRequest& request,
                   Diags& diags);
// The file of --out, open since before the run; none when it is not given.
using ResultFile = std::optional<TensorOutput>;
Expected<ResultFile> result_file(const Arguments& arguments);
// "3 groups of 100, 150, 50 rows"
std::string groups_text(std::vector<std::int64_t> sizes);

// Values of options that several operations take.
std::optional<DType> dtype_option(const Arguments& arguments, std::string_view option,
                                  std::span<const std::string_view> names, Diags& diags);
std::optional<Tiling> tiling_option(const Arguments& arguments, Diags& diags);
Precision precision_option(const Arguments& arguments, Diags& diags);
Fill fill_option(const Arguments& arguments, Diags& diags);

// The tensor of --OPTION FILE, or none when it is not given; of `fallback` where the file's raw
// elements do not say their type.
std::optional<Tensor> file_option(const Arguments& arguments, std::string_view option,
                                  std::optional<DType> declared, DType fallback, Diags& diags);
// Sizes of --sizes FILE, or of --group-sizes: a list, @FILE, or a distribution of --groups groups
// over `rows`, where that is known.
std::optional<Tensor> sizes_option(const Arguments& arguments, std::optional<std::int64_t> rows,
                                   std::uint64_t seed, Diags& diags);

}  // namespace tessera::cli
