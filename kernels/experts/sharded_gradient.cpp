#include "kernels/experts/sharded_gradient.h"

#include <fmt/format.h>

#include "kernels/experts/sharded_validate.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

Expected<void> check_cotangent(std::span<const Tensor> cotangent, std::size_t devices,
                               const Shape& shape) {
  if (cotangent.size() != devices) {
    return error(fmt::format("cotangents are given for {} devices, and there are results of {}",
                             cotangent.size(), devices));
  }
  for (std::size_t d = 0; d < devices; ++d) {
    if (cotangent[d].dtype() == DType::f32 && cotangent[d].shape() == shape) continue;
    return error(fmt::format("the cotangent of device {} is {}{}, the result f32{}", d,
                             name(cotangent[d].dtype()), to_string(cotangent[d].shape()),
                             to_string(shape)));
  }
  return {};
}

Expected<Tensor> gradient_of_shard(const Tensor& rows, const Tensor& cotangent, const Tensor& sizes,
                                   std::int64_t first, const Tensor& rhs,
                                   const GroupedCollectiveOptions& options) {
  GroupedMatmulOptions product = grouped_options(options, first);
  product.transpose_rhs = false;
  product.out_dtype = rhs.dtype();
  product.num_actual_groups = rhs.dim(0);
  product.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  if (!options.transpose_rhs) return transposed_grouped_matmul(rows, cotangent, sizes, product);
  if (product.tiling.index() == 1) {
    Tiling& tiling = std::get<Tiling>(product.tiling);
    std::swap(tiling.k, tiling.n);
  }
  return transposed_grouped_matmul(cotangent, rows, sizes, product);
}

}  // namespace tessera
