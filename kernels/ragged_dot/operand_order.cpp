#include "kernels/ragged_dot/operand_order.h"

#include <algorithm>
#include <utility>

#include "kernels/launch/axes.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;

// Axes of rhs that are neither batch nor contracting nor group axes.
Axes free_axes(const RaggedArguments& given) {
  return other_axes(given.rhs.rank(), joined({given.dims.rhs_batch, given.dims.rhs_contracting}),
                    given.dims.rhs_group);
}

// For a ragged contraction, m is summed over, and the other axes of lhs are k.
void order_axes(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call) {
  const RaggedDotDims& dims = given.dims;
  const Axes& batch = dims.lhs_batch;
  const Axes& k = call.mode == RaggedMode::Contracting ? axes.rest : dims.lhs_contracting;
  call.product.k = extent(given.lhs.shape(), k);
  call.lhs_order = call.mode == RaggedMode::Batch
                       ? joined({batch, axes.rest, k})
                       : joined({batch, axes.before, dims.lhs_ragged, axes.after, k});
  // rhs_contracting is in the order of lhs's contracted axes. rhs_group is empty unless the mode is
  // NonContracting.
  call.rhs_order = joined({dims.rhs_group, dims.rhs_batch, dims.rhs_contracting, free_axes(given)});
}

void shape_result(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call) {
  if (call.mode == RaggedMode::Contracting) call.out_shape.push_back(call.product.local_groups);
  for (const Shape& part : {extents(given.lhs, given.dims.lhs_batch), extents(given.lhs, axes.rest),
                            extents(given.rhs, free_axes(given))})
    call.out_shape.insert(call.out_shape.end(), part.begin(), part.end());
}

void merge_extents(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call) {
  GroupedDesc& product = call.product;
  const Shape& lhs = given.lhs.shape();
  if (call.mode == RaggedMode::Batch) {
    product.m = extent(lhs, axes.rest);
    call.lhs_shape = {call.batch, product.m, product.k};
    call.rhs_shape = {call.batch, product.k, product.n};
    call.flat_shape = {call.batch, product.m, product.n};
    return;
  }
  call.outer = extent(lhs, axes.before);
  call.inner = extent(lhs, axes.after);
  product.m = extent(lhs, given.dims.lhs_ragged) * call.inner;
  call.lhs_shape = {call.batch, call.outer, product.m, product.k};
  if (call.mode == RaggedMode::Contracting) {
    call.rhs_shape = {call.batch, call.outer, product.m, product.n};
    call.flat_shape = {product.local_groups, call.batch, product.k, product.n};
  } else {
    call.rhs_shape = {product.local_groups, call.batch, product.k, product.n};
    call.flat_shape = {call.batch, call.outer, product.m, product.n};
  }
}

// Avoids a copy of rhs if it is already stored as [groups, n, k].
void take_transposed(const RaggedArguments& given, RaggedCall& call) {
  const RaggedDotDims& dims = given.dims;
  const Axes turned =
      joined({dims.rhs_group, dims.rhs_batch, free_axes(given), dims.rhs_contracting});
  if (!call.is_single() || !std::is_sorted(turned.begin(), turned.end()) ||
      std::is_sorted(call.rhs_order.begin(), call.rhs_order.end()))
    return;
  call.product.transpose_rhs = true;
  call.rhs_order = turned;
  std::swap(call.rhs_shape[2], call.rhs_shape[3]);
}

}  // namespace

void order_operands(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call) {
  call.batch = extent(given.lhs.shape(), given.dims.lhs_batch);
  call.product.n = extent(given.rhs.shape(), free_axes(given));
  order_axes(given, axes, call);
  shape_result(given, axes, call);
  merge_extents(given, axes, call);
  if (call.mode == RaggedMode::NonContracting) take_transposed(given, call);
}

}  // namespace tessera
