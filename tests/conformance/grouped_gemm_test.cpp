// Published cases of TransformerEngine's grouped GEMM and quantisation: tests/jax/
// test_custom_call_compute.py.
#include "kernels/grouped_gemm/grouped_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/data/splitmix.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::made;
using Sizes = std::vector<std::int64_t>;

struct Extents {
  std::int64_t groups, m, n, k;
};
constexpr Extents shapes[] = {
    {5, 32, 128, 64}, {8, 64, 32, 128}, {8, 64, 128, 256}, {4, 4, 128, 128}};

// Sorted cuts of m; group 0 takes group 1's rows, which leaves that empty; times `multiple`.
Sizes sizes_of(const Extents& e, std::int64_t multiple) {
  SplitMix random(static_cast<std::uint64_t>(e.groups * 1000 + e.m));
  Sizes cuts{0, e.m};
  for (std::int64_t g = 1; g < e.groups; ++g)
    cuts.push_back(static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(e.m + 1)));
  std::sort(cuts.begin(), cuts.end());
  Sizes sizes;
  for (std::size_t g = 1; g < cuts.size(); ++g) sizes.push_back((cuts[g] - cuts[g - 1]) * multiple);
  sizes[0] += sizes[1];
  sizes[1] = 0;
  return sizes;
}

std::shared_ptr<const Tensor> uniform(DType dtype, Shape shape, std::uint64_t seed) {
  return std::make_shared<const Tensor>(
      made(dtype, std::move(shape), FillRole::lhs, Fill::uniform, 1, seed));
}

GroupedGemmOptions options_of(Sizes lhs, Sizes rhs, DType out) {
  GroupedGemmOptions options;
  options.lhs_contracting = std::move(lhs);
  options.rhs_contracting = std::move(rhs);
  options.preferred_element_type = out;
  options.device = "interpreter";
  return options;
}

Tensor expect_right(const GroupedTensor& lhs, const GroupedTensor& rhs,
                    const GroupedGemmOptions& options) {
  auto out = grouped_gemm(lhs, rhs, options);
  EXPECT_TRUE(out) << render(out.diags());
  if (!out) return {};
  CheckOptions how;
  how.check = Check::sample;
  const Verdict verdict = check_grouped_gemm(lhs, rhs, options, *out, how);
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_GT(verdict.checked_rows, 0);
  return *std::move(out);
}

// Forward with bias, dgrad and wgrad of one shape in one type or quantised so.
void expect_all(const Extents& e, std::int64_t multiple, DType dtype,
                const std::optional<QuantizeSpec>& left, const std::optional<QuantizeSpec>& right) {
  const Sizes sizes = sizes_of(e, multiple);
  const std::int64_t m = e.m * multiple;
  const DimSizes dims = dim_sizes(sizes);
  const GroupedTensor x = no_scale_tensor(uniform(dtype, {m, e.k}, 1), dims),
                      w = no_scale_tensor(uniform(dtype, {e.groups, e.k, e.n}, 2)),
                      grad = no_scale_tensor(uniform(dtype, {m, e.n}, 3), dims);
  const Tensor bias = made(dtype, {e.groups, e.n}, FillRole::existing, Fill::uniform, 1, 4);
  const auto with = [&](Sizes lhs, Sizes rhs) {
    GroupedGemmOptions options = options_of(std::move(lhs), std::move(rhs), dtype);
    options.lhs_quantizer = left;
    options.rhs_quantizer = right;
    return options;
  };
  GroupedGemmOptions forward = with({1}, {1});
  forward.bias = &bias;
  expect_right(x, w, forward);
  expect_right(grad, w, with({1}, {2}));
  const Tensor wgrad = expect_right(x, grad, with({0}, {0}));
  for (std::int64_t i = 0; i < e.k * e.n; ++i) ASSERT_EQ(wgrad.at(e.k * e.n + i), 0);
}

TEST(ConformanceGroupedGemm, te_21_in_bf16_and_f16) {
  for (const Extents& e : shapes)
    for (const DType dtype : {DType::bf16, DType::f16}) expect_all(e, 32, dtype, {}, {});
}

TEST(ConformanceGroupedGemm, te_21_in_fp8_with_each_scaling) {
  for (const ScalingMode mode :
       {ScalingMode::DelayedTensor, ScalingMode::CurrentTensor, ScalingMode::Mxfp8_1D}) {
    for (const auto& [left, right] :
         {std::pair{DType::e4m3, DType::e4m3}, std::pair{DType::e4m3, DType::e5m2},
          std::pair{DType::e5m2, DType::e4m3}}) {
      for (const Extents& e : {shapes[0], shapes[3]}) {
        QuantizeSpec l, r;
        l.mode = r.mode = mode;
        l.dtype = left;
        r.dtype = right;
        if (mode == ScalingMode::DelayedTensor)
          l.delayed_scales = r.delayed_scales =
              std::vector<float>(static_cast<std::size_t>(e.groups), 32);
        expect_all(e, mode == ScalingMode::Mxfp8_1D ? 128 : 32, DType::bf16, l, r);
      }
    }
  }
}

TEST(ConformanceGroupedGemm, te_21_bias_gradients) {
  const Extents e = shapes[0];
  const Sizes sizes = sizes_of(e, 32);
  const GroupedTensor x = no_scale_tensor(uniform(DType::f32, {e.m * 32, e.k}, 1),
                                          dim_sizes(sizes)),
                      w = no_scale_tensor(uniform(DType::f32, {e.groups, e.k, e.n}, 2));
  const Tensor bias(DType::f32, {e.groups, e.n});
  const Tensor ct = made(DType::f32, {e.m * 32, e.n}, FillRole::lhs, Fill::integers, 4096, 3);
  GroupedGemmOptions options = options_of({1}, {1}, DType::f32);
  options.bias = &bias;
  const auto gradients = grouped_dense_vjp(ct, x, w, options);
  ASSERT_TRUE(gradients) << render(gradients.diags());
  std::int64_t row = 0;
  for (std::int64_t g = 0; g < e.groups; ++g) {
    std::vector<double> sums(static_cast<std::size_t>(e.n), 0);
    for (std::int64_t i = 0; i < sizes[static_cast<std::size_t>(g)]; ++i, ++row)
      for (std::int64_t j = 0; j < e.n; ++j)
        sums[static_cast<std::size_t>(j)] += ct.at(row * e.n + j);
    for (std::int64_t j = 0; j < e.n; ++j)
      ASSERT_EQ(gradients->bias->at(g * e.n + j), sums[static_cast<std::size_t>(j)]);
  }
}

// The published tolerances, of quantised operands against the product of those before: rtol =
// eps^(2/3) of the element type.
TEST(ConformanceGroupedGemm, te_22_quantised_products_meet_the_published_tolerances) {
  const Extents e = shapes[0];
  const GroupedTensor x = no_scale_tensor(uniform(DType::bf16, {e.m * 32, e.k}, 1),
                                          dim_sizes(sizes_of(e, 32))),
                      w = no_scale_tensor(uniform(DType::bf16, {e.groups, e.k, e.n}, 2));
  GroupedGemmOptions options = options_of({1}, {1}, DType::f32);
  const TilingSpec tiling = options.tiling;
  options.device = "reference";
  options.tiling = {};
  const auto exact = grouped_gemm(x, w, options);
  ASSERT_TRUE(exact);
  options.device = "interpreter";
  options.tiling = tiling;
  for (const ScalingMode mode : {ScalingMode::CurrentTensor, ScalingMode::Mxfp8_1D}) {
    for (const auto& [type, tolerance] :
         {std::pair{DType::e4m3, 0.25}, std::pair{DType::e5m2, 0.397}}) {
      QuantizeSpec left, right;
      left.mode = right.mode = mode;
      right.dtype = type;
      options.lhs_quantizer = left;
      options.rhs_quantizer = right;
      const auto out = grouped_gemm(x, w, options);
      ASSERT_TRUE(out) << render(out.diags());
      for (std::int64_t i = 0; i < out->elements(); ++i)
        ASSERT_LE(std::abs(out->at(i) - exact->at(i)), tolerance * (1 + std::abs(exact->at(i))))
            << i;
    }
  }
}

// Grouped quantisation with and without sizes, along rows and columns: each group as if alone, and
// every element within half a unit of what it stands for.
TEST(ConformanceGroupedGemm, te_23_grouped_quantisation) {
  for (const auto& [groups, rows, columns] : {std::tuple{8, 16, 32}, std::tuple{4, 8, 128}}) {
    for (const bool sized : {false, true}) {
      const std::int64_t m = rows * 32, n = columns;
      Sizes sizes = sized ? sizes_of({groups, rows, 0, 0}, 32) : Sizes{};
      const GroupedTensor x = no_scale_tensor(
          uniform(DType::f32, sized ? Shape{m, n} : Shape{groups, m / groups / 32 * 32, n}, 5),
          sized ? dim_sizes(sizes) : nullptr);
      const std::int64_t boundary = sized ? 1 : 2;
      for (const MxAlong along : {MxAlong::rows, MxAlong::columns}) {
        for (const ScalingMode mode : {ScalingMode::CurrentTensor, ScalingMode::Mxfp8_1D}) {
          QuantizeSpec spec;
          spec.mode = mode;
          const auto q = quantize_grouped(x, boundary, groups, along, spec);
          ASSERT_TRUE(q) << render(q.diags());
          EXPECT_EQ(q->first_dims, x.first_dims) << "the sizes stay with the tensor";
          const Tensor values = *dequantize_grouped(*q, boundary, groups, along);
          const GroupedMatrix matrix = grouped_matrix(x, boundary, groups);
          for (const GroupedMatrix::Group& group : matrix.groups) {
            Tensor part = Tensor::uninitialised(DType::f32, {group.left, group.right});
            if (part.elements() == 0) continue;
            std::memcpy(part.data(), x.data->as<float>() + group.offset,
                        static_cast<std::size_t>(part.bytes()));
            const float scale = tensor_scale(amax(part), DType::e4m3);
            const auto blocks = quantize_mx(part, DType::e4m3, along);
            const Tensor want = mode == ScalingMode::Mxfp8_1D
                                    ? *dequantize_mx(blocks->data, blocks->scales)
                                    : dequantize(quantize(part, DType::e4m3, scale), 1 / scale);
            for (std::int64_t i = 0; i < part.elements(); ++i) {
              const double value = values.at(group.offset + i);
              ASSERT_EQ(value, want.at(i));
              // 2^-4 of an element, and half of the smallest one under the group's largest scale.
              ASSERT_LE(std::abs(value - part.at(i)), 0x1p-4 * part.at(i) + 0x1p-10 / 256) << i;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera
