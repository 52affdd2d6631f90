#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

// Transposes each matrix: [g, a, b] to [g, b, a].
Tensor swap_last_two(const Tensor& blocks) {
  const std::int64_t groups = blocks.dim(0), rows = blocks.dim(1), columns = blocks.dim(2);
  const std::int64_t size = size_of(blocks.dtype());
  Tensor result = Tensor::uninitialised(blocks.dtype(), {groups, columns, rows});
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        std::memcpy(result.data() + ((g * columns + c) * rows + r) * size,
                    blocks.data() + ((g * rows + r) * columns + c) * size,
                    static_cast<std::size_t>(size));
      }
    }
  }
  return result;
}

// Cotangent of existing_out: the cotangent of the result, with zeros in the overwritten rows.
Tensor existing_cotangent(const Tensor& cotangent, const GroupedProblem& forward) {
  Tensor result = cotangent.clone();
  if (forward.accumulate) return result;
  const std::vector<std::int64_t> edges = processed_rows(forward);
  const std::int64_t row = cotangent.dim(1) * size_of(cotangent.dtype());
  const std::int64_t bytes = (edges.back() - edges.front()) * row;
  if (bytes > 0)
    std::memset(result.data() + edges.front() * row, 0, static_cast<std::size_t>(bytes));
  return result;
}

Expected<void> check_gradient(const Tensor& cotangent, const GroupedDesc& desc,
                              const GroupedMatmulOptions& options) {
  if (cotangent.shape() != Shape{desc.m, desc.n}) {
    return error(fmt::format("the cotangent has shape {}, the result has {}",
                             to_string(cotangent.shape()), to_string(Shape{desc.m, desc.n})));
  }
  if (cotangent.dtype() != options.out_dtype) {
    return error(ErrorCode::invalid_type,
                 fmt::format("the cotangent is {}, the result is {}", name(cotangent.dtype()),
                             name(options.out_dtype)));
  }
  const DType operand = common_operand(desc.lhs, desc.rhs).value_or(desc.lhs);
  if (is_integer(operand)) {
    return error(ErrorCode::invalid_type,
                 fmt::format("gradients need floating-point operands, got {}", name(operand)));
  }
  return {};
}

}  // namespace

Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const GroupedMatmulOptions& options) try {
  const GroupedDesc desc = TRY(describe_gmm(lhs, rhs, group_sizes, options));
  TRY(check_gradient(cotangent, desc, options));
  const GroupedProblem forward = TRY(gmm_problem(lhs, rhs, group_sizes, options));

  // dlhs = cotangent . rhs^T: sums over n of the forward product; the result has k columns.
  GroupedMatmulOptions of_lhs = options;
  of_lhs.existing_out = nullptr;
  of_lhs.hints = {};
  of_lhs.transpose_rhs = !options.transpose_rhs;
  of_lhs.out_dtype = lhs.dtype();
  if (const Tiling* tiling = std::get_if<Tiling>(&options.tiling))
    of_lhs.tiling = Tiling{tiling->m, tiling->n, tiling->k};
  Tensor lhs_gradient = TRY(grouped_matmul(cotangent, rhs, group_sizes, of_lhs));

  // drhs[g] = lhs[rows of g]^T . cotangent[rows of g].
  GroupedMatmulOptions of_rhs = options;
  of_rhs.existing_out = nullptr;
  of_rhs.hints = {};
  of_rhs.transpose_rhs = false;
  of_rhs.align.reset();
  of_rhs.out_dtype = rhs.dtype();
  of_rhs.num_actual_groups = rhs.dim(0);
  of_rhs.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  Tensor rhs_gradient = TRY(transposed_grouped_matmul(lhs, cotangent, group_sizes, of_rhs));

  GroupedMatmulGradients gradients{std::move(lhs_gradient), std::move(rhs_gradient), std::nullopt};
  if (options.transpose_rhs) gradients.rhs = swap_last_two(gradients.rhs);
  if (options.existing_out) gradients.existing_out = existing_cotangent(cotangent, forward);
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
