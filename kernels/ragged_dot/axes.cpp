#include "kernels/ragged_dot/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/report/try.h"
#include "kernels/launch/axes.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;

bool has(const Axes& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Expected<void> check_axis(const char* what, const char* whose, std::int64_t axis,
                          const Tensor& tensor) {
  if (axis >= 0 && axis < tensor.rank()) return {};
  return wrong(fmt::format(
      "ragged_dot_general requires {} numbers to be nonnegative and less than the number of axes "
      "of the {} value, got {} for {} of rank {}.",
      what, whose, axis, whose, tensor.rank()));
}

Expected<void> check_ragged_axis(const RaggedArguments& given) {
  if (given.dims.lhs_ragged.size() != 1)
    return wrong("ragged_dot_general expects exactly one lhs ragged dimension.");
  return check_axis("lhs ragged dimension", "lhs", given.dims.lhs_ragged[0], given.lhs);
}

Expected<void> check_list(const char* what, const char* whose, const Axes& axes,
                          const Tensor& tensor) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= tensor.rank())
      return wrong(fmt::format("{} dimension {} of {} is not among its {} axes", what, axes[i],
                               whose, tensor.rank()));
    if (std::count(axes.begin(), axes.end(), axes[i]) > 1)
      return wrong(fmt::format("{} dimension {} of {} is named twice", what, axes[i], whose));
  }
  return {};
}

}  // namespace

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

Expected<RaggedMode> ragged_mode(const RaggedArguments& given) {
  const RaggedDotDims& dims = given.dims;
  TRY(check_ragged_axis(given));
  TRY(check_list("contracting", "lhs", dims.lhs_contracting, given.lhs));
  TRY(check_list("contracting", "rhs", dims.rhs_contracting, given.rhs));
  TRY(check_list("batch", "lhs", dims.lhs_batch, given.lhs));
  TRY(check_list("batch", "rhs", dims.rhs_batch, given.rhs));
  for (const auto& [batch, contracting, whose] :
       {std::tuple{&dims.lhs_batch, &dims.lhs_contracting, "lhs"},
        std::tuple{&dims.rhs_batch, &dims.rhs_contracting, "rhs"}})
    for (const std::int64_t axis : *batch)
      if (has(*contracting, axis))
        return wrong(
            fmt::format("dimension {} of {} is a batch dimension and contracting", axis, whose));
  const std::int64_t ragged = dims.lhs_ragged[0];
  return has(dims.lhs_batch, ragged)         ? RaggedMode::Batch
         : has(dims.lhs_contracting, ragged) ? RaggedMode::Contracting
                                             : RaggedMode::NonContracting;
}

RaggedAxes ragged_axes(const RaggedArguments& given, RaggedMode mode) {
  RaggedAxes axes;
  const std::int64_t ragged = given.dims.lhs_ragged[0];
  axes.rest = other_axes(given.lhs.rank(), given.dims.lhs_batch, given.dims.lhs_contracting);
  const Axes& own = mode == RaggedMode::Contracting ? given.dims.lhs_contracting : axes.rest;
  if (mode == RaggedMode::Batch) {
    axes.before = Axes(given.dims.lhs_batch.begin(),
                       std::find(given.dims.lhs_batch.begin(), given.dims.lhs_batch.end(), ragged));
  } else {
    const auto at = std::find(own.begin(), own.end(), ragged);
    axes.before = Axes(own.begin(), at);
    axes.after = Axes(std::next(at), own.end());
  }
  return axes;
}

Expected<void> check_group_axis(const RaggedArguments& given, RaggedMode mode) {
  if (mode != RaggedMode::NonContracting) {
    if (given.dims.rhs_group.empty()) return {};
    return wrong(
        "ragged_dot_general requires zero group dimensions in the rhs when lhs ragged dimension "
        "is contracting or batch.");
  }
  if (given.dims.rhs_group.size() != 1)
    return wrong(
        "ragged_dot_general requires exactly one rhs group dimension when lhs ragged dimension "
        "is noncontracting.");
  const std::int64_t axis = given.dims.rhs_group[0];
  TRY(check_axis("rhs group dimension", "rhs", axis, given.rhs));
  if (has(given.dims.rhs_batch, axis) || has(given.dims.rhs_contracting, axis))
    return wrong(
        "ragged_dot_general requires rhs group dimension numbers to be distinct from contracting "
        "and batch dimensions.");
  return {};
}

Expected<void> check_paired_extents(const RaggedArguments& given) {
  if (given.dims.lhs_batch.size() != given.dims.rhs_batch.size())
    return wrong(fmt::format(
        "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, got {} and {}",
        given.dims.lhs_batch.size(), given.dims.rhs_batch.size()));
  const auto agree = [&](const char* what, const Axes& left, const Axes& right) -> Expected<void> {
    const Shape a = extents(given.lhs, left), b = extents(given.rhs, right);
    if (a == b) return {};
    return wrong(
        fmt::format("dot_general requires {} dimensions to have the same shape, got {} "
                    "and {}",
                    what, to_string(a), to_string(b)));
  };
  TRY(agree("batch", given.dims.lhs_batch, given.dims.rhs_batch));
  return agree("contracting", given.dims.lhs_contracting, given.dims.rhs_contracting);
}

}  // namespace tessera
