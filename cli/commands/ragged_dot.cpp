// ragged-dot: ragged dot product of any axes, checked against the reference.
#include "kernels/ragged_dot/ragged_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/fill_operand.h"
#include "cli/args/host_memory.h"
#include "cli/args/product_reader.h"
#include "cli/operations/operation_command.h"
#include "cli/operations/operation_report.h"
#include "core/report/try.h"
#include "kernels/launch/operand_type.h"
#include "kernels/ragged_dot/validate.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 4> result_types = {"f32", "bf16", "f16", "i32"};
constexpr std::array<std::string_view, 3> modes = {"noncontracting", "contracting", "batch"};
// Options of only one form.
constexpr std::array<std::string_view, 4> axis_options = {"contracting", "batch-axes", "ragged",
                                                          "group-axis"};
constexpr std::array<std::string_view, 4> plain_options = {"m", "k", "n", "batch"};
constexpr std::array<std::string_view, 2> layout_options = {"mode", "transpose-rhs"};
constexpr std::array<std::string_view, 1> fill_options = {"fill"};

// Data that the functions of the call refer to.
struct State {
  Tensor lhs, rhs, sizes, group_offset;
  RaggedDotDims dims;
  RaggedDotOptions options;
};

class Reader : ProductReader {
 public:
  using ProductReader::ProductReader;

  Expected<OperationCall> read() {
    TRY(begin());
    const auto dtype = type("dtype", operand_type_names()),
               rhs_dtype = type("rhs-dtype", operand_type_names());
    auto lhs = load("lhs", dtype, DType::bf16),
         rhs = load("rhs", rhs_dtype ? rhs_dtype : dtype, DType::bf16);
    if (!ok()) return diags_;
    if (has_shapes(lhs, rhs)) {
      free_form(lhs, rhs);
    } else {
      plain_form();
    }
    if (!ok()) return diags_;
    call_.dtype = lhs ? lhs->dtype() : dtype.value_or(DType::bf16);
    operands(std::move(lhs), std::move(rhs), rhs_dtype.value_or(call_.dtype));
    if (!ok()) return diags_;
    return finish();
  }

 private:
  // Reads the form with extents m, k and n of a mode, and a leading batch dimension if --batch is
  // given.
  void plain_form() {
    refuse(axis_options, "names axes of --lhs-shape and --rhs-shape");
    const auto batch = optional("batch");
    const std::size_t mode = plain_axes(batch ? 1 : 0);
    const std::int64_t k = extent_of("k"), n = extent_of("n");
    if (mode == 2 && !batch) complain("--batch is missing: its dimension is the ragged one");
    const auto m = optional("m");
    if (mode == 2 && !m) complain("--m is missing");
    if (!ok()) return;
    auto sizes = group_sizes(mode == 2 ? batch : m);
    if (!sizes) return;
    const Axes all = integers_of(*sizes);
    const std::int64_t rows = m ? *m : std::accumulate(all.begin(), all.end(), std::int64_t{0});
    const std::int64_t groups = sizes->rank() == 0 ? 1 : sizes->dim(sizes->rank() - 1);
    // A batch is always computed completely, so --local-groups is rejected for it.
    const auto local = mode == 2 ? std::nullopt : optional("local-groups", 1);
    const std::int64_t first = optional("group-offset").value_or(0);
    lhs_shape_ = {rows, k};
    rhs_shape_ = mode == 1 ? Shape{rows, n} : has("transpose-rhs") ? Shape{n, k} : Shape{k, n};
    for (Shape* shape : {&lhs_shape_, &rhs_shape_})
      if (batch) shape->insert(shape->begin(), *batch);
    if (mode == 0)
      rhs_shape_.insert(rhs_shape_.begin(),
                        local.value_or(std::max<std::int64_t>(groups - first, 0)));
    if (mode == 1) state_->options.local_groups = local;
    if (mode == 0 && local && !has("group-offset") && *local != groups)
      complain("--local-groups without --group-offset must be all the groups");
    state_->sizes = *std::move(sizes);
  }

  // Returns the mode, and sets the axes of its operands.
  // - noncontracting: lhs [m, k], rhs [groups, k, n], with --transpose-rhs [groups, n, k].
  // - contracting: [m, k] and [m, n].
  // - batch: [m, k] and [k, n].
  // batch: number of axes, 0 or 1, in front of these; in rhs after the groups.
  std::size_t plain_axes(std::int64_t batch) {
    const std::size_t mode = choice("mode", modes);
    const bool turned = has("transpose-rhs");
    if (turned && mode != 0) complain("--transpose-rhs is for --mode noncontracting");
    RaggedDotDims& dims = state_->dims;
    if (batch > 0) dims.lhs_batch = {0}, dims.rhs_batch = {mode == 0 ? 1 : 0};
    if (mode == 0) {
      dims.lhs_contracting = {batch + 1};
      dims.rhs_contracting = {turned ? batch + 2 : batch + 1};
      dims.lhs_ragged = {batch};
      dims.rhs_group = {0};
    } else if (mode == 1) {
      dims.lhs_contracting = dims.rhs_contracting = dims.lhs_ragged = {batch};
    } else {
      dims.lhs_contracting = {2};
      dims.rhs_contracting = {1};
      dims.lhs_ragged = {0};
    }
    return mode;
  }

  void named_axes() {
    refuse(layout_options, "cannot be combined with --contracting, which gives the axes");
    RaggedDotDims& dims = state_->dims;
    pair("contracting", dims.lhs_contracting, dims.rhs_contracting);
    if (has("batch-axes")) pair("batch-axes", dims.lhs_batch, dims.rhs_batch);
    dims.lhs_ragged = has("ragged") ? list("ragged").value_or(Axes{}) : Axes{0};
    if (has("group-axis")) dims.rhs_group = list("group-axis").value_or(Axes{});
  }

  void free_form(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs) {
    refuse(plain_options, "is for calls without shapes: the shapes of this call give the sizes");
    read_shapes(lhs, rhs);
    const bool names_axes = std::any_of(axis_options.begin(), axis_options.end(),
                                        [&](std::string_view option) { return has(option); });
    if (names_axes && !has("contracting")) complain("--contracting is missing");
    if (!ok()) return;
    if (names_axes)
      named_axes();
    else
      plain_axes(lhs_shape_.size() == 3 ? 1 : 0);
    state_->options.local_groups = optional("local-groups", 1);
    if (!ok()) return;
    std::optional<std::int64_t> rows;
    const Axes& ragged = state_->dims.lhs_ragged;
    if (ragged.size() == 1 && ragged[0] < static_cast<std::int64_t>(lhs_shape_.size()))
      rows = lhs_shape_[static_cast<std::size_t>(ragged[0])];
    if (auto sizes = group_sizes(rows)) state_->sizes = *std::move(sizes);
  }

  void operands(std::optional<Tensor> lhs, std::optional<Tensor> rhs, DType rhs_dtype) {
    const Fill kind = fill_kind();
    if (lhs && rhs) refuse(fill_options, "has nothing to fill: every operand is a file");
    take(check_host_memory({{call_.dtype, lhs_shape_}, {rhs_dtype, rhs_shape_}}));
    if (!ok()) return;
    call_.values = {kind, lhs || rhs};
    const auto fill = [&](DType dtype, const Shape& shape, FillRole role, std::uint64_t stream) {
      return filled_operand(dtype, shape, kind, role, terms(state_->dims.lhs_contracting),
                            call_.seed * 4 + stream);
    };
    state_->lhs = lhs ? *std::move(lhs) : fill(call_.dtype, lhs_shape_, FillRole::lhs, 1);
    state_->rhs = rhs ? *std::move(rhs) : fill(rhs_dtype, rhs_shape_, FillRole::rhs, 2);
  }

  Expected<OperationCall> finish() {
    const auto& [lhs, rhs, sizes, offset, dims, options] = *state_;
    read_product(result_types, state_->options, state_->group_offset);
    if (!ok()) return diags_;
    const auto checked = TRY(validate_ragged_dot(lhs, rhs, sizes, dims, options));
    call_.flops = checked.flops();
    describe(lhs.dtype(), rhs.dtype(), checked.product.out, checked.out_shape,
             groups_text(integers_of(sizes)));
    call_.fields["group_sizes"] = integers_of(sizes);
    call_.lines.emplace_back("mode", name(checked.mode));
    call_.fields["mode"] = name(checked.mode);
    name_operand("lhs", {state_, &lhs});
    name_operand("rhs", {state_, &rhs});
    name_operand("sizes", {state_, &sizes});
    set_launch(state_, [](const State& state, const RaggedDotOptions& how) {
      return run_ragged_dot(state.lhs, state.rhs, state.sizes, state.dims, how);
    });
    call_.judge = [state = state_](const OperationRun& run, const CheckOptions& how) {
      return check_ragged_dot(state->lhs, state->rhs, state->sizes, state->dims, state->options,
                              *run.results.front(), how);
    };
    return std::move(call_);
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

Expected<OperationCall> prepare(const Arguments& arguments) { return Reader(arguments).read(); }

}  // namespace

Command ragged_dot_command() {
  return operation_command<prepare>(
      "ragged-dot", "ragged dot product: rows, contraction or batch are split into groups",
      "  gmm-run ragged-dot --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
      "  gmm-run ragged-dot --mode contracting --group-sizes 5,0,9 --k 96 --n 64 --batch 2\n"
      "  gmm-run ragged-dot --mode batch --batch 6 --group-sizes 2,4 --m 8 --k 16 --n 8\n"
      "  gmm-run ragged-dot --lhs-shape 2,9,7 --rhs-shape 3,2,7,5 --contracting 2/2 "
      "--batch-axes 0/1 --ragged 1 --group-axis 0 --group-sizes 4,0,5\n",
      product_options({
          {"mode", "noncontracting|contracting|batch",
           "axis that is split into groups, also in files; default the rows"},
          {"m", "N", "rows of lhs; optional if the group sizes give it"},
          {"k", "N", "columns of lhs"},
          {"n", "N", "columns of the result"},
          {"batch", "N", "extent of a batch dimension in front of lhs and rhs"},
          {"transpose-rhs", "", "rhs, also a file, is stored as [groups, n, k]"},
          {"group-offset", "N", "the first group that is computed"},
          {"local-groups", "N", "how many groups are computed; default all from the first"},
          {"contracting", "L/R", "contracted axes of lhs and of rhs, such as 1,2/1,2"},
          {"batch-axes", "L/R", "batch axes of lhs and of rhs"},
          {"ragged", "D", "the ragged axis of lhs; default 0"},
          {"group-axis", "D", "the axis of rhs that counts the groups"},
          {"dtype", "TYPE", operand_types_help()},
          {"rhs-dtype", "TYPE", "element type of rhs, if it differs from lhs"},
          {"out-dtype", "TYPE", "preferred element type: f32 bf16 f16 i32; default f32"},
          {"sizes", "FILE", "the group sizes: [groups], or with the axes before the ragged one",
           false, FileUse::reads},
      }));
}

}  // namespace tessera::cli
