#include <cstring>
#include <utility>

#include "kernels/grouped_gemm/launch.h"
#include "kernels/grouped_gemm/paths.h"
#include "kernels/launch/axes.h"

namespace tessera {
namespace {

// Collects the scales of all groups in one matrix: [left, right / 32] or [left / 32, right].
Tensor all_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, MxAlong along,
                  Shape shape) {
  Tensor all(DType::e8m0, std::move(shape));
  std::byte* to = all.data();
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const Tensor own = group_scales(tensor, matrix, g, along);
    if (own.bytes() > 0) std::memcpy(to, own.data(), static_cast<std::size_t>(own.bytes()));
    to += own.bytes();
  }
  return all;
}

// Returns `tensor` if it has this shape, otherwise a reshaped copy in `storage`.
const Tensor& shaped(const Tensor& tensor, const Shape& shape, Tensor& storage) {
  if (tensor.shape() == shape) return tensor;
  storage = reshaped(tensor.clone(), shape);
  return storage;
}

}  // namespace

Expected<void> run_v2(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  const std::int64_t groups = call.product.groups(), left = call.left.left, right = call.left.right;
  const bool is_wgrad = call.ragged_contraction;
  GroupedGemmOperands what;
  GroupedDesc& product = what.product;
  product = call.product;
  product.transpose_rhs = !is_wgrad && call.rhs_is_trans;
  what.factor = call.factor;
  what.beta = call.beta;
  const Shape rhs_shape = is_wgrad                ? Shape{call.right.left, call.right.right}
                          : product.transpose_rhs ? Shape{groups, product.n, product.k}
                                                  : Shape{groups, product.k, product.n};
  what.out_shape = is_wgrad ? Shape{groups, product.k, product.n} : Shape{product.m, product.n};
  Tensor lhs, rhs, c, lhs_scale, rhs_scale;
  what.lhs = &shaped(*call.lhs.data, {left, right}, lhs);
  what.rhs = &shaped(*call.rhs.data, rhs_shape, rhs);
  if (call.is_mx()) {
    const auto scale_shape = [](Shape shape, bool last) {
      shape[shape.size() - (last ? 1 : 2)] /= mx_block;
      return shape;
    };
    lhs_scale = all_scales(call.lhs, call.left, call.lhs_along(),
                           scale_shape({left, right}, !call.lhs_is_trans));
    rhs_scale = all_scales(call.rhs, call.right, call.rhs_along(),
                           scale_shape(rhs_shape, call.rhs_is_trans));
    what.lhs_scale = &lhs_scale;
    what.rhs_scale = &rhs_scale;
  }
  if (call.reads_c) what.c = &shaped(*options.c, what.out_shape, c);
  what.bias = options.bias;
  return launch(call, options, what, result);
}

}  // namespace tessera
