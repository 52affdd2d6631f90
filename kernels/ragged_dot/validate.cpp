#include "kernels/ragged_dot/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/launch/axes.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;
using Problem = std::optional<Diag>;

Diag wrong(std::string text) { return error(ErrorCode::invalid_type, std::move(text)); }

bool has(const Axes& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Axes joined(std::initializer_list<Axes> lists) {
  Axes all;
  for (const Axes& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Shape extents(const Tensor& tensor, const Axes& axes) {
  Shape shape;
  for (const std::int64_t axis : axes) shape.push_back(tensor.dim(static_cast<int>(axis)));
  return shape;
}

// The checks of jax.lax.ragged_dot_general in its order, with its texts.
class Validator {
 public:
  Validator(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes, const RaggedDotDims& dims,
            const RaggedDotOptions& options)
      : lhs_(lhs), rhs_(rhs), sizes_(sizes), dims_(dims), options_(options) {}

  Expected<RaggedCall> run() {
    const auto steps = {&Validator::ragged_axis, &Validator::axes,     &Validator::sizes_shape,
                        &Validator::group_axis,  &Validator::sizes,    &Validator::offset,
                        &Validator::types,       &Validator::contract, &Validator::order,
                        &Validator::sums};
    for (const auto step : steps) {
      if (Problem problem = (this->*step)()) return *problem;
    }
    return std::move(call_);
  }

 private:
  bool is_contracting() const { return call_.mode == RaggedMode::Contracting; }

  Problem range(const char* what, const char* whose, std::int64_t axis, const Tensor& tensor) {
    if (axis >= 0 && axis < tensor.rank()) return {};
    return wrong(fmt::format(
        "ragged_dot_general requires {} numbers to be nonnegative and less than the number of axes "
        "of the {} value, got {} for {} of rank {}.",
        what, whose, axis, whose, tensor.rank()));
  }

  Problem ragged_axis() {
    if (dims_.lhs_ragged.size() != 1)
      return wrong("ragged_dot_general expects exactly one lhs ragged dimension.");
    return range("lhs ragged dimension", "lhs", dims_.lhs_ragged[0], lhs_);
  }

  Problem list(const char* what, const char* whose, const Axes& axes, const Tensor& tensor) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] < 0 || axes[i] >= tensor.rank())
        return wrong(fmt::format("{} dimension {} of {} is not among its {} axes", what, axes[i],
                                 whose, tensor.rank()));
      if (std::count(axes.begin(), axes.end(), axes[i]) > 1)
        return wrong(fmt::format("{} dimension {} of {} is named twice", what, axes[i], whose));
    }
    return {};
  }

  Problem axes() {
    for (const auto& problem :
         {list("contracting", "lhs", dims_.lhs_contracting, lhs_),
          list("contracting", "rhs", dims_.rhs_contracting, rhs_),
          list("batch", "lhs", dims_.lhs_batch, lhs_), list("batch", "rhs", dims_.rhs_batch, rhs_)})
      if (problem) return problem;
    for (const auto& [batch, contracting, whose] :
         {std::tuple{&dims_.lhs_batch, &dims_.lhs_contracting, "lhs"},
          std::tuple{&dims_.rhs_batch, &dims_.rhs_contracting, "rhs"}})
      for (const std::int64_t axis : *batch)
        if (has(*contracting, axis))
          return wrong(
              fmt::format("dimension {} of {} is a batch dimension and contracting", axis, whose));
    const std::int64_t ragged = dims_.lhs_ragged[0];
    call_.mode = has(dims_.lhs_batch, ragged)         ? RaggedMode::Batch
                 : has(dims_.lhs_contracting, ragged) ? RaggedMode::Contracting
                                                      : RaggedMode::NonContracting;
    return {};
  }

  // What the sizes may be given for: [batch, axes before the ragged one, groups].
  Problem sizes_shape() {
    const std::int64_t ragged = dims_.lhs_ragged[0];
    rest_ = other_axes(lhs_.rank(), dims_.lhs_batch, dims_.lhs_contracting);
    const Axes& own = is_contracting() ? dims_.lhs_contracting : rest_;
    if (call_.mode == RaggedMode::Batch) {
      before_ = Axes(dims_.lhs_batch.begin(),
                     std::find(dims_.lhs_batch.begin(), dims_.lhs_batch.end(), ragged));
    } else {
      const auto at = std::find(own.begin(), own.end(), ragged);
      before_ = Axes(own.begin(), at);
      after_ = Axes(std::next(at), own.end());
    }
    if (sizes_.rank() < 1) return wrong("expected rank of group_sizes to be >=1.");
    call_.groups = sizes_.dim(sizes_.rank() - 1);
    if (sizes_.rank() == 1) return {};
    Axes prefix = before_;
    if (call_.mode != RaggedMode::Batch) prefix = joined({dims_.lhs_batch, before_});
    Shape expected = extents(lhs_, prefix);
    expected.push_back(call_.groups);
    if (sizes_.shape() == expected) return {};
    return wrong(fmt::format("expected group_sizes to have shape {}, got {}.", to_string(expected),
                             to_string(sizes_.shape())));
  }

  Problem group_axis() {
    if (call_.mode != RaggedMode::NonContracting) {
      if (dims_.rhs_group.empty()) return {};
      return wrong(
          "ragged_dot_general requires zero group dimensions in the rhs when lhs ragged dimension "
          "is contracting or batch.");
    }
    if (dims_.rhs_group.size() != 1)
      return wrong(
          "ragged_dot_general requires exactly one rhs group dimension when lhs ragged dimension "
          "is noncontracting.");
    const std::int64_t axis = dims_.rhs_group[0];
    if (Problem problem = range("rhs group dimension", "rhs", axis, rhs_)) return problem;
    if (has(dims_.rhs_batch, axis) || has(dims_.rhs_contracting, axis))
      return wrong(
          "ragged_dot_general requires rhs group dimension numbers to be distinct from contracting "
          "and batch dimensions.");
    const std::int64_t size = rhs_.dim(static_cast<int>(axis));
    call_.local_groups = size;
    if (options_.group_offset || size == call_.groups) return {};
    return wrong(
        fmt::format("expected rhs group dimension size to be {}, got {}.", call_.groups, size));
  }

  Problem sizes() {
    if (is_integer(sizes_.dtype())) return {};
    return wrong("ragged_dot_general requires that group_sizes.dtype is subtype of np.integer.");
  }

  Problem offset() {
    if (call_.mode == RaggedMode::Batch && options_.group_offset)
      return error(ErrorCode::unsupported,
                   "Unimplemented group_offset support. The sizes of a ragged batch change no "
                   "value, and all of it is computed");
    if (options_.group_offset) {
      const Expected<GroupWindow> window = group_window(*options_.group_offset);
      if (!window) return window.diags().front();
      call_.group_offset = window->offset;
      if (call_.group_offset < 0 || call_.group_offset >= call_.groups)
        return error(fmt::format("group_offset {} is not among the {} groups of group_sizes",
                                 call_.group_offset, call_.groups));
    }
    const std::int64_t left = call_.groups - call_.group_offset;
    if (call_.mode != RaggedMode::NonContracting) call_.local_groups = left;
    if (options_.local_groups) {
      if (!is_contracting())
        return error(call_.mode == RaggedMode::Batch
                         ? "local_groups is for a ragged contraction; all of a batch is computed"
                         : "local_groups is for a ragged contraction; rhs has the groups "
                           "otherwise");
      call_.local_groups = *options_.local_groups;
    }
    if (call_.groups == 0) return error("a ragged dot product has at least one group");
    if (call_.local_groups >= 1 && call_.local_groups <= left) return {};
    return error(fmt::format("{} groups from group {} on do not fit into the {} of group_sizes",
                             call_.local_groups, call_.group_offset, call_.groups));
  }

  Problem types() {
    const auto operand = common_operand(lhs_.dtype(), rhs_.dtype());
    if (!operand)
      return wrong(
          fmt::format("ragged_dot multiplies f32, bf16, f16, e4m3, e5m2 and i8, not {} and {}",
                      name(lhs_.dtype()), name(rhs_.dtype())));
    call_.operand = *operand;
    call_.out = options_.preferred_element_type.value_or(
        lhs_.dtype() == rhs_.dtype() ? lhs_.dtype() : call_.operand);
    const DType out = call_.out;
    if (out != DType::f32 && out != DType::bf16 && out != DType::f16 && out != DType::i32)
      return error(ErrorCode::unsupported,
                   fmt::format("ragged_dot stores f32, bf16, f16 or i32, not {}: give a "
                               "preferred_element_type",
                               name(out)));
    if (out == DType::i32 && is_float(call_.operand))
      return error(ErrorCode::unsupported,
                   fmt::format("an i32 result needs i8 operands, got {} and {}", name(lhs_.dtype()),
                               name(rhs_.dtype())));
    return {};
  }

  Problem contract() {
    if (dims_.lhs_batch.size() != dims_.rhs_batch.size())
      return wrong(fmt::format(
          "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, got {} and {}",
          dims_.lhs_batch.size(), dims_.rhs_batch.size()));
    const auto agree = [&](const char* what, const Axes& left, const Axes& right) -> Problem {
      const Shape a = extents(lhs_, left), b = extents(rhs_, right);
      if (a == b) return {};
      return wrong(
          fmt::format("dot_general requires {} dimensions to have the same shape, got {} "
                      "and {}",
                      what, to_string(a), to_string(b)));
    };
    if (Problem problem = agree("batch", dims_.lhs_batch, dims_.rhs_batch)) return problem;
    return agree("contracting", dims_.lhs_contracting, dims_.rhs_contracting);
  }

  Problem order() {
    const Axes& batch = dims_.lhs_batch;
    const Axes ragged = dims_.lhs_ragged;
    const Axes free =
        other_axes(rhs_.rank(), joined({dims_.rhs_batch, dims_.rhs_contracting}), dims_.rhs_group);
    call_.batch = extent(lhs_.shape(), batch);
    call_.n = extent(rhs_.shape(), free);
    const Shape lead = extents(lhs_, batch), tail = extents(rhs_, free),
                rows = extents(lhs_, rest_);
    call_.out_shape = lead;
    if (is_contracting()) {
      call_.lhs_order = joined({batch, before_, ragged, after_, rest_});
      // The axes of rhs that are contracted with those of lhs, in lhs's order.
      call_.rhs_order = joined({dims_.rhs_batch, dims_.rhs_contracting, free});
      call_.k = extent(lhs_.shape(), rest_);
      call_.out_shape.insert(call_.out_shape.begin(), call_.local_groups);
    } else if (call_.mode == RaggedMode::NonContracting) {
      call_.lhs_order = joined({batch, before_, ragged, after_, dims_.lhs_contracting});
      call_.rhs_order = joined({dims_.rhs_group, dims_.rhs_batch, dims_.rhs_contracting, free});
      call_.k = extent(lhs_.shape(), dims_.lhs_contracting);
    } else {
      call_.lhs_order = joined({batch, rest_, dims_.lhs_contracting});
      call_.rhs_order = joined({dims_.rhs_batch, dims_.rhs_contracting, free});
      call_.k = extent(lhs_.shape(), dims_.lhs_contracting);
    }
    call_.out_shape.insert(call_.out_shape.end(), rows.begin(), rows.end());
    call_.out_shape.insert(call_.out_shape.end(), tail.begin(), tail.end());
    if (call_.mode == RaggedMode::Batch) {
      call_.m = extent(lhs_.shape(), rest_);
      call_.lhs_shape = {call_.batch, call_.m, call_.k};
      call_.rhs_shape = {call_.batch, call_.k, call_.n};
      call_.flat_shape = {call_.batch, call_.m, call_.n};
      return {};
    }
    call_.outer = extent(lhs_.shape(), before_);
    call_.inner = extent(lhs_.shape(), after_);
    call_.m = lhs_.dim(static_cast<int>(ragged[0])) * call_.inner;
    call_.lhs_shape = {call_.batch, call_.outer, call_.m, call_.k};
    if (is_contracting()) {
      call_.rhs_shape = {call_.batch, call_.outer, call_.m, call_.n};
      call_.flat_shape = {call_.local_groups, call_.batch, call_.k, call_.n};
      return {};
    }
    call_.rhs_shape = {call_.local_groups, call_.batch, call_.k, call_.n};
    call_.flat_shape = {call_.batch, call_.outer, call_.m, call_.n};
    const Axes turned = joined({dims_.rhs_group, dims_.rhs_batch, free, dims_.rhs_contracting});
    if (call_.is_single() && std::is_sorted(turned.begin(), turned.end()) &&
        !std::is_sorted(call_.rhs_order.begin(), call_.rhs_order.end())) {
      call_.transpose_rhs = true;
      call_.rhs_order = turned;
      std::swap(call_.rhs_shape[2], call_.rhs_shape[3]);
    }
    return {};
  }

  Problem sums() {
    const std::int64_t ragged = lhs_.dim(static_cast<int>(dims_.lhs_ragged[0]));
    std::int64_t prefixes = call_.batch * call_.outer;
    // Sizes of a ragged batch are one list for each prefix; they cut the batch and nothing else.
    if (call_.mode == RaggedMode::Batch) prefixes = sizes_.elements() / call_.groups;
    const bool shared = sizes_.rank() == 1;
    for (std::int64_t p = 0; p < (shared ? 1 : prefixes); ++p) {
      std::int64_t sum = 0;
      for (std::int64_t g = 0; g < call_.groups; ++g) {
        const auto size = static_cast<std::int64_t>(sizes_.at(p * call_.groups + g));
        if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
        if (size > ragged - sum)
          return error(fmt::format(
              "the group sizes up to group {} sum to more than the ragged extent {}", g, ragged));
        sum += size;
        call_.group_sizes.push_back(size);
      }
    }
    if (shared && call_.mode != RaggedMode::Batch) {
      const std::vector<std::int64_t> one = call_.group_sizes;
      call_.group_sizes.clear();
      for (std::int64_t p = 0; p < prefixes; ++p)
        call_.group_sizes.insert(call_.group_sizes.end(), one.begin(), one.end());
    }
    return {};
  }

  const Tensor &lhs_, &rhs_, &sizes_;
  const RaggedDotDims& dims_;
  const RaggedDotOptions& options_;
  Axes rest_;            // of lhs, neither batch nor contracting
  Axes before_, after_;  // the ragged axis, among those of its part
  RaggedCall call_;
};

}  // namespace

std::string_view name(RaggedMode mode) {
  constexpr std::string_view names[] = {"RAGGED_NONCONTRACTING", "RAGGED_CONTRACTING",
                                        "RAGGED_BATCH"};
  return names[static_cast<std::size_t>(mode)];
}

std::int64_t RaggedCall::flops() const {
  if (mode == RaggedMode::Batch) return 2 * batch * m * k * n;
  std::int64_t rows = 0;
  for (std::int64_t p = 0; p < batch * outer; ++p)
    for (std::int64_t g = group_offset; g < group_offset + local_groups; ++g)
      rows += group_sizes[static_cast<std::size_t>(p * groups + g)] * inner;
  return 2 * rows * k * n;
}

RaggedProblem ragged_problem(const Tensor& lhs, const Tensor& rhs, const RaggedCall& call) {
  RaggedProblem problem;
  problem.mode = call.mode;
  problem.lhs = reshaped(permuted(lhs, call.lhs_order), call.lhs_shape);
  problem.rhs = reshaped(permuted(rhs, call.rhs_order), call.rhs_shape);
  problem.batch = call.batch;
  problem.outer = call.outer;
  problem.inner = call.inner;
  problem.m = call.m;
  problem.k = call.k;
  problem.n = call.n;
  problem.groups = call.groups;
  problem.local_groups = call.local_groups;
  problem.group_offset = call.group_offset;
  problem.group_sizes = call.group_sizes;
  problem.transpose_rhs = call.transpose_rhs;
  return problem;
}

Expected<RaggedCall> validate_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                         const Tensor& group_sizes, const RaggedDotDims& dims,
                                         const RaggedDotOptions& options) {
  return Validator(lhs, rhs, group_sizes, dims, options).run();
}

}  // namespace tessera
