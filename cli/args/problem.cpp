#include "cli/args/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cli/args/file_use.h"
#include "cli/args/fill_operand.h"
#include "cli/args/operation_options.h"
#include "core/program/program.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/launch/operand_type.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 2> row_kinds = {"global", "local"};
constexpr std::array<std::string_view, 2> layouts = {"km", "mk"};
constexpr std::array<std::string_view, 2> existing_kinds = {"accumulate", "overwrite"};

// True if --out saves the operand.
bool saves(const Arguments& arguments, std::string_view operand) {
  const std::vector<std::string>& files = arguments.glance("out");
  return std::any_of(files.begin(), files.end(),
                     [&](const std::string& file) { return named_file(file).name == operand; });
}

}  // namespace

std::int64_t Problem::processed_rows() const {
  const auto first = desc.sizes.begin() + desc.group_offset;
  return std::accumulate(first, first + desc.local_groups, std::int64_t{0});
}

Shape Problem::lhs_shape() const {
  return desc.is_tgmm() && !lhs_stored ? Shape{desc.k, desc.m} : Shape{desc.m, desc.k};
}

Shape Problem::rhs_shape() const {
  if (desc.is_tgmm()) return {desc.m, desc.n};
  return desc.transpose_rhs ? Shape{desc.local_groups, desc.n, desc.k}
                            : Shape{desc.local_groups, desc.k, desc.n};
}

Shape Problem::out_shape() const {
  return desc.is_tgmm() ? Shape{desc.local_groups, desc.k, desc.n} : Shape{desc.m, desc.n};
}

Options problem_options(GroupedKind kind) {
  Options options = {
      {"m", "N", "rows of lhs; may be left out when the group sizes give it"},
      {"k", "N", "columns of lhs"},
      {"n", "N", "columns of the result"},
      {"groups", "N", "number of groups, where the sizes do not say it"},
      {"group-sizes", "LIST|NAME|@FILE.npy",
       "100,150,50; or uniform, multinomial, zipf:1.2, onehot, empty:50, jitter:30 by --seed",
       false, FileUse::reads},
      {"dtype", "TYPE", operand_types_help()},
      {"out-dtype", "TYPE", "of the result, i32 too; default f32"},
      {"group-offset", "N", "the first group that is processed"},
      {"local-groups", "N", "how many are processed; default all from the first"},
      {"rows", "global|local", "whether row 0 of lhs is that of group 0 or of the first processed"},
      {"existing-out", "accumulate|overwrite", "an existing result: added to, or replaced"},
      {"existing", "FILE", "the existing result; alone it is added to", false, FileUse::reads},
      {"tiling", "tm,tk,tn", "sides of the tiles; default 128,128,128 or the profile's"},
      {"buffers", "N",
       "slots of each input window; default 2, on CUDA as many as fit (2 asks for these)"},
      {"config", "FILE|JSON", "tiling and stages as a configuration: {\"block_m\": 64, ...}", false,
       FileUse::reads},
      {"program", "FILE.tsr",
       kind == GroupedKind::gmm ? "its kernel gmm runs in place of the shipped one"
                                : "its kernel tgmm runs in place of the shipped one",
       false, FileUse::reads},
      {"precision", "default|high|highest", "all compute in f32 on the interpreter"},
      {"strict-sum", "", "the group sizes must sum to m"},
      {"fill", "normal|uniform|integers", "data of operands that are not given"},
      {"seed", "N", "of operands and group sizes; default 0"},
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

Expected<Asked> asked(GroupedKind kind, const Arguments& arguments) {
  Asked result;
  Diags diags;
  Problem& problem = result.problem;
  problem.desc.kind = kind;
  result.said.m.value = arguments.integer("m", diags);
  result.said.k.value = arguments.integer("k", diags);
  result.said.n.value = arguments.integer("n", diags);
  result.said.groups.value = arguments.integer("groups", diags, 1, max_groups);
  result.local_groups.value = arguments.integer("local-groups", diags, 1, max_groups);
  result.dtype = dtype_option(arguments, "dtype", operand_type_names(), diags);
  result.out_dtype = dtype_option(arguments, "out-dtype", stored_types(), diags);
  result.group_sizes = arguments.text("group-sizes");
  result.lhs = arguments.text("lhs");
  result.rhs = arguments.text("rhs");
  result.sizes = arguments.text("sizes");
  result.existing = arguments.text("existing");
  result.has_fill = arguments.has("fill");
  result.is_lazy = may_go_unread(arguments);
  const bool has_lhs_file = !result.lhs.empty() || saves(arguments, "lhs");
  if (kind == GroupedKind::tgmm && has_lhs_file)
    problem.lhs_files_stored = arguments.choice("lhs-layout", layouts, diags) == 1;
  problem.lhs_stored = result.lhs.empty() || problem.lhs_files_stored;
  if (!has_lhs_file && arguments.has("lhs-layout"))
    diags.push_back(
        error("--lhs-layout is the layout of files of lhs: expected --lhs FILE or --out lhs=FILE"));
  problem.desc.transpose_rhs = arguments.has("transpose-rhs");
  problem.desc.group_offset = arguments.integer("group-offset", diags).value_or(0);
  problem.desc.local_rows = arguments.choice("rows", row_kinds, diags) == 1;
  if (arguments.has("existing-out")) {
    const bool overwrites = arguments.choice("existing-out", existing_kinds, diags) == 1;
    problem.desc.existing = overwrites ? ExistingOut::Overwrite : ExistingOut::Accumulate;
  } else if (!result.existing.empty()) {
    problem.desc.existing = ExistingOut::Accumulate;
  }
  problem.tiling = tiling_option(arguments, diags);
  problem.buffers =
      arguments.integer("buffers", diags, 1, max_window_depth).value_or(problem.buffers);
  problem.desc.precision = precision_option(arguments, diags);
  problem.strict_sum = arguments.has("strict-sum");
  problem.fill = fill_option(arguments, diags);
  problem.seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  if (!diags.empty()) return diags;
  return result;
}

}  // namespace tessera::cli
