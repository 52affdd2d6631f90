// Reads the problem of gmm or tgmm: extents and types from options, files and the kernel's header.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "cli/args/file_use.h"
#include "cli/args/fill_operand.h"
#include "cli/args/host_memory.h"
#include "cli/args/kernel_header.h"
#include "cli/args/operation_reader.h"
#include "cli/args/problem.h"
#include "core/data/tensor_file.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/launch/operand_type.h"

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

class ProblemReader : public OperationReader {
 public:
  ProblemReader(GroupedKind kind, const Arguments& arguments) : OperationReader(arguments) {
    desc_.kind = kind;
  }

  // Reads files and determines extents and types.
  bool settle() {
    for (const auto step : {&ProblemReader::read_options, &ProblemReader::read_files,
                            &ProblemReader::settle_extents, &ProblemReader::settle_groups})
      if (ok()) (this->*step)();
    return ok();
  }

  // Fills the operands without files.
  bool fill() {
    Operands& operands = problem_.operands;
    const Fill kind = fill_kind();
    const bool exists = desc_.existing.has_value();
    if (has("fill") && has_file("lhs") && has_file("rhs") && (!exists || has_file("existing")))
      complain("--fill has nothing to fill: every operand is a file");
    const TensorSize out{desc_.out, axes_of("out").shape()};
    std::vector<TensorSize> sizes = {
        {desc_.lhs, lhs_axes().shape()}, {desc_.rhs, axes_of("rhs").shape()}, out};
    if (exists) sizes.push_back(out);
    if (ok()) take(check_host_memory(sizes));
    if (!ok()) return false;
    operands.values = {kind, has_file("lhs") || has_file("rhs") || has_file("existing")};
    constexpr std::array roles = {FillRole::lhs, FillRole::rhs, FillRole::existing};
    const std::array to = {&operands.lhs, &operands.rhs, &operands.existing};
    for (std::size_t i = 0; i < (exists ? 3U : 2U); ++i) {
      if (to[i]->rank() != 0) continue;
      // Sums are over k, or over the rows of a group.
      *to[i] = filled_operand(sizes[i].dtype, sizes[i].shape, kind, roles[i],
                              desc_.is_tgmm() ? desc_.m : desc_.k, problem_.seed * 4 + i + 1);
    }
    if (operands.group_sizes.rank() == 0) operands.group_sizes = sizes_tensor(desc_.sizes);
    return true;
  }

  Problem& result() { return problem_; }

 private:
  bool has_file(std::string_view option) const { return !text(option).empty(); }

  void read_options() {
    for (Extent* extent : {&m_, &k_, &n_}) extent->value = optional(extent->option);
    for (Extent* extent : {&groups_, &local_groups_})
      extent->value = optional(extent->option, 1, max_groups);
    lhs_dtype_.value = rhs_dtype_.value = type("dtype", operand_type_names());
    out_dtype_.value = type("out-dtype", stored_types());
    const bool has_lhs_file = has_file("lhs") || saves(arguments_, "lhs");
    if (desc_.is_tgmm() && has_lhs_file)
      problem_.lhs_files_stored = choice("lhs-layout", layouts) == 1;
    problem_.lhs_stored = !has_file("lhs") || problem_.lhs_files_stored;
    if (!has_lhs_file && has("lhs-layout"))
      complain("--lhs-layout is the layout of files of lhs: expected --lhs FILE or --out lhs=FILE");
    desc_.transpose_rhs = has("transpose-rhs");
    desc_.group_offset = optional("group-offset").value_or(0);
    desc_.local_rows = choice("rows", row_kinds) == 1;
    if (has("existing-out")) {
      const bool overwrites = choice("existing-out", existing_kinds) == 1;
      desc_.existing = overwrites ? ExistingOut::Overwrite : ExistingOut::Accumulate;
    } else if (has_file("existing")) {
      desc_.existing = ExistingOut::Accumulate;
    }
    problem_.tiling = tiling();
    problem_.buffers = optional("buffers", 1, max_window_depth).value_or(problem_.buffers);
    desc_.precision = precision();
    problem_.strict_sum = has("strict-sum");
    fill_kind();
    problem_.seed = seed();
  }

  // Axes of an operand or of `out`, as declared by the kernel.
  HeaderOperand axes_of(std::string_view operand) {
    const std::array all = {&m_, &k_, &n_, &groups_, &local_groups_};
    return header_operand(name(desc_.kind), operand,
                          {[&](std::string_view parameter) {
                             const auto is_it = [&](const Extent* extent) {
                               return extent->option ==
                                      (parameter == "local_groups" ? "local-groups" : parameter);
                             };
                             return Axis{*std::find_if(all.begin(), all.end(), is_it)};
                           },
                           [&](std::string_view parameter) -> std::int64_t {
                             return parameter == "transpose_rhs" && desc_.transpose_rhs;
                           }});
  }
  // The tgmm kernel declares lhs as [k, m]; reversed if lhs is stored as [m, k].
  HeaderOperand lhs_axes() {
    HeaderOperand lhs = axes_of("lhs");
    if (desc_.is_tgmm() && problem_.lhs_stored) std::reverse(lhs.axes.begin(), lhs.axes.end());
    return lhs;
  }

  void read_files() {
    Operands& operands = problem_.operands;
    operands.lhs = read_file("lhs", text("lhs"), lhs_axes(), &lhs_dtype_);
    operands.rhs = read_file("rhs", text("rhs"), axes_of("rhs"), &rhs_dtype_);
    operands.existing = read_file("existing", text("existing"), axes_of("out"), &out_dtype_);
    const std::string given(text("group-sizes"));
    std::string sizes(text("sizes"));
    if (given.starts_with('@')) {
      if (!sizes.empty()) complain("--group-sizes and --sizes both name a file");
      sizes = given.substr(1);
    } else if (!sizes.empty() && !given.empty()) {
      complain("--sizes and --group-sizes both give the group sizes: use one of them");
    }
    operands.group_sizes = read_file("sizes", sizes, axes_of("group_sizes"), nullptr);
    if (!ok()) return;
    for (std::int64_t g = 0; !sizes.empty() && g < operands.group_sizes.elements(); ++g)
      desc_.sizes.push_back(std::llround(operands.group_sizes.at(g)));
  }

  Tensor read_file(std::string_view operand, std::string_view name, const HeaderOperand& header,
                   Agreed<DType>* dtype) {
    if (name.empty()) return {};
    const std::string file(name);
    Files* const files = arguments_.files();
    Expected<Tensor> tensor = dtype == nullptr
                                  ? load_tensor(file, std::nullopt, files)
                                  : load_operand(file, dtype->value, DType::bf16, files);
    if (!tensor) return take(tensor.diags()), Tensor();
    const std::string source = fmt::format("--{} {}", operand, file);
    const auto rank = static_cast<int>(header.axes.size());
    if (tensor->rank() != rank) {
      complain(fmt::format("{} has shape {}, and {} has {} dimensions", source,
                           to_string(tensor->shape()), operand, rank));
      return {};
    }
    for (int d = 0; d < rank; ++d)
      header.axes[static_cast<std::size_t>(d)].extent->say(tensor->dim(d), source, diags_);
    if (dtype != nullptr) dtype->say(tensor->dtype(), source, diags_);
    return *std::move(tensor);
  }

  void settle_extents() {
    // The type of a generated operand defaults to the type of the given one.
    desc_.lhs = lhs_dtype_.value.value_or(rhs_dtype_.value.value_or(desc_.lhs));
    desc_.rhs = rhs_dtype_.value.value_or(desc_.lhs);
    desc_.out = out_dtype_.value.value_or(desc_.out);
    for (const Extent* extent : {&k_, &n_})
      if (!extent->value) complain(fmt::format("--{} is missing", extent->option));
    desc_.k = k_.value.value_or(0);
    desc_.n = n_.value.value_or(0);
    if (ok()) settle_sizes();
  }

  void settle_sizes() {
    const std::string given(text("group-sizes"));
    if (is_group_size_list(given) && !given.empty() && given[0] != '@') {
      if (auto sizes = taken(parse_group_sizes(given))) desc_.sizes = *std::move(sizes);
    } else if (desc_.sizes.empty() && problem_.operands.group_sizes.rank() == 0) {
      auto sizes = drawn_sizes(given, groups_.value, m_.value);
      if (desc_.local_rows)
        complain(
            "--rows local needs listed group sizes: m counts only the rows of the processed "
            "groups");
      if (sizes) desc_.sizes = *std::move(sizes);
    }
  }

  void settle_groups() {
    std::int64_t room = std::int64_t{1} << 40;
    for (const std::int64_t size : desc_.sizes) {
      if (size > room) return complain("the group sizes sum to more than 2^40 rows");
      room -= std::max<std::int64_t>(size, 0);
    }
    groups_.say(desc_.groups(), "--group-sizes", diags_);
    const std::int64_t after = desc_.groups() - desc_.group_offset;
    if (!local_groups_.value) local_groups_.value = after;
    desc_.local_groups = *local_groups_.value;
    if (desc_.local_groups < 0 || desc_.local_groups > after)
      return complain(fmt::format("group_offset={} and {} local groups do not fit into {} groups",
                                  desc_.group_offset, std::max<std::int64_t>(desc_.local_groups, 0),
                                  desc_.groups()));
    if (!m_.value)
      m_.value = desc_.local_rows
                     ? problem_.processed_rows()
                     : std::accumulate(desc_.sizes.begin(), desc_.sizes.end(), std::int64_t{0});
    desc_.m = *m_.value;
  }

  Extent m_{"m"}, k_{"k"}, n_{"n"}, groups_{"groups"}, local_groups_{"local-groups"};
  Agreed<DType> lhs_dtype_{"dtype"}, rhs_dtype_{"dtype"}, out_dtype_{"out-dtype"};
  Problem problem_;
  GroupedDesc& desc_ = problem_.desc;
};

}  // namespace

Expected<Problem> filled_problem(GroupedKind kind, const Arguments& arguments) {
  ProblemReader read(kind, arguments);
  if (!read.settle() || !read.fill()) return read.diags();
  return std::move(read.result());
}

Expected<Problem> settled_problem(GroupedKind kind, const Arguments& arguments) {
  ProblemReader read(kind, arguments);
  if (!read.settle()) return read.diags();
  return std::move(read.result());
}

}  // namespace tessera::cli
