#include <cstring>
#include <utility>

#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_gemm/launch.h"
#include "kernels/grouped_gemm/paths.h"
#include "kernels/launch/axes.h"

namespace tessera {
namespace {

// Copies the matrix of a group, transposed if `turned`.
Tensor matrix_of(const Tensor& data, const GroupedMatrix::Group& group, bool turned) {
  Tensor part = Tensor::uninitialised(data.dtype(), {group.left, group.right});
  if (part.bytes() > 0)
    std::memcpy(part.data(), data.data() + group.offset * size_of(data.dtype()),
                static_cast<std::size_t>(part.bytes()));
  const std::int64_t swap[] = {1, 0};
  return turned ? permuted(part, swap) : std::move(part);
}

// Copies a matrix of `tensor` that begins at element `first`.
Tensor block_of(const Tensor& tensor, std::int64_t first, std::int64_t rows, std::int64_t columns) {
  Tensor part = Tensor::uninitialised(tensor.dtype(), {rows, columns});
  if (part.bytes() > 0)
    std::memcpy(part.data(), tensor.data() + first * size_of(tensor.dtype()),
                static_cast<std::size_t>(part.bytes()));
  return part;
}

// Storage for one group's operands.
struct GroupOperands {
  Tensor a, b, lhs_scale, rhs_scale, c, bias;
};

// Returns the launch of group g, which must have elements in the result. It refers to `own`.
GroupedGemmOperands of_group(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                             std::size_t g, GroupOperands& own) {
  const std::int64_t rows = call.group_rows(g), columns = call.group_columns(g);
  own.a = matrix_of(*call.lhs.data, call.left.groups[g], call.lhs_is_trans);
  own.b = reshaped(matrix_of(*call.rhs.data, call.right.groups[g], call.rhs_is_trans),
                   {1, call.contracted(g), columns});
  GroupedGemmOperands what;
  what.product = call.product_of(g);
  what.lhs = &own.a;
  what.rhs = &own.b;
  what.factor = std::span(call.factor).subspan(g, 1);
  what.beta = std::span(call.beta).subspan(g, 1);
  what.out_shape = {rows, columns};
  const std::int64_t swap[] = {1, 0};
  if (call.is_mx()) {
    own.lhs_scale = group_scales(call.lhs, call.left, g, call.lhs_along());
    own.rhs_scale = group_scales(call.rhs, call.right, g, call.rhs_along());
    if (call.lhs_is_trans) own.lhs_scale = permuted(own.lhs_scale, swap);
    if (call.rhs_is_trans) own.rhs_scale = permuted(own.rhs_scale, swap);
    own.rhs_scale = reshaped(std::move(own.rhs_scale), {1, call.contracted(g) / mx_block, columns});
    what.lhs_scale = &own.lhs_scale;
    what.rhs_scale = &own.rhs_scale;
  }
  if (call.beta[g] != 0) {
    own.c = block_of(*options.c, call.first_element(g), rows, columns);
    what.c = &own.c;
  }
  if (options.bias) {
    own.bias = block_of(*options.bias, static_cast<std::int64_t>(g) * columns, 1, columns);
    what.bias = &own.bias;
  }
  return what;
}

}  // namespace

Expected<void> run_v1(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  // Rows of the result outside all groups stay zero.
  Tensor out(call.product.out, call.out_shape);
  double seconds = 0;
  for (std::size_t g = 0; g < call.product.sizes.size(); ++g) {
    if (call.group_rows(g) * call.group_columns(g) == 0) continue;
    GroupOperands own;
    const GroupedGemmOperands what = of_group(call, options, g, own);
    result.notes.clear();
    TRY(launch(call, options, what, result));
    seconds += result.report.wall_seconds;
    if (!faults(result.report).empty()) break;
    std::memcpy(out.data() + call.first_element(g) * size_of(call.product.out), result.out.data(),
                static_cast<std::size_t>(result.out.bytes()));
  }
  result.report.wall_seconds = seconds;
  result.notes.emplace_back(
      result.report.findings.empty()
          ? "one launch for each group: the time is the total, counts and proof are of the last "
            "launch"
          : "one launch for each group: the launches after the failed one were skipped");
  result.out = std::move(out);
  return {};
}

}  // namespace tessera
