#include "kernels/grouped_gemm/call.h"

#include <numeric>
#include <utility>

#include "core/report/check.h"

namespace tessera {

std::int64_t GroupedGemmCall::first_row(std::size_t group) const {
  if (!ragged_rows) return static_cast<std::int64_t>(group) * product.k;
  return std::accumulate(product.sizes.begin(),
                         product.sizes.begin() + static_cast<std::ptrdiff_t>(group),
                         std::int64_t{0});
}

std::int64_t GroupedGemmCall::first_element(std::size_t group) const {
  if (!ragged_columns) return first_row(group) * product.n;
  std::int64_t before = 0;
  for (std::size_t g = 0; g < group; ++g) before += group_rows(g) * group_columns(g);
  return before;
}

GroupedDesc GroupedGemmCall::product_of(std::size_t group) const {
  GroupedDesc own = product;
  own.kind = GroupedKind::gmm;
  own.m = group_rows(group);
  own.k = contracted(group);
  own.n = group_columns(group);
  own.sizes = {own.m};
  own.local_groups = 1;
  return own;
}

std::int64_t GroupedGemmCall::flops() const {
  std::int64_t sum = 0;
  for (std::size_t g = 0; g < product.sizes.size(); ++g)
    sum += 2 * group_rows(g) * contracted(g) * group_columns(g);
  return sum;
}

const Tensor& multiplied(const GroupedGemmCall& call, const GroupedTensor& tensor,
                         std::int64_t boundary, MxAlong along, Tensor& storage) {
  if (tensor.mode != ScalingMode::Mxfp8_1D) return *tensor.data;
  Expected<Tensor> values = dequantize_grouped(tensor, boundary, call.product.groups(), along);
  CHECK(values);  // the call was validated
  storage = *std::move(values);
  return storage;
}

std::vector<GroupedGemmProblem> grouped_gemm_problems(const GroupedGemmCall& call,
                                                      const GroupedGemmOptions& options,
                                                      const Tensor& lhs, const Tensor& rhs) {
  std::vector<GroupedGemmProblem> problems;
  if (!call.ragged_columns) {
    problems.emplace_back();
    problems[0].rows = call.rows();
    problems[0].columns = call.product.n;
  }
  for (std::size_t g = 0; g < call.product.sizes.size(); ++g) {
    const auto matrix = [](const Tensor& tensor, const GroupedMatrix::Group& group, bool turned) {
      const MatrixView view{&tensor, group.offset, group.right, 1};
      return turned ? view.transposed() : view;
    };
    GemmGroup group;
    group.a = matrix(lhs, call.left.groups[g], call.lhs_is_trans);
    group.b = matrix(rhs, call.right.groups[g], call.rhs_is_trans);
    group.first_row = call.ragged_columns ? 0 : call.first_row(g);
    group.rows = call.group_rows(g);
    group.terms = call.contracted(g);
    group.factor = options.alpha ? static_cast<double>(options.alpha->as<float>()[g]) : 1.0;
    const bool scaled = is_tensor_scaled(call.lhs.mode) && group.terms > 0;
    if (scaled)
      group.factor *= static_cast<double>(call.lhs.scale_inv->as<float>()[g]) *
                      static_cast<double>(call.rhs.scale_inv->as<float>()[g]);
    group.beta = static_cast<double>(call.beta[g]);
    group.c = call.beta[g] != 0 ? options.c : nullptr;
    group.bias = options.bias;
    group.index = static_cast<std::int64_t>(g);
    // Roundings: two of a scaled factor and one of its product, two for c, one for the bias.
    group.epilogue =
        (scaled ? 2 : 0) + (group.factor != 1 ? 1 : 0) + (group.c ? 2 : 0) + (group.bias ? 1 : 0);
    if (call.ragged_columns) {
      problems.emplace_back();
      problems[g].rows = group.rows;
      problems[g].columns = call.group_columns(g);
      problems[g].first_element = call.first_element(g);
    }
    problems.back().groups.push_back(group);
  }
  return problems;
}

}  // namespace tessera
