// Requirements T1 to T20 of the grouped GEMM. Values are compared with a loop over the definition,
// and messages are compared exactly.
#include "kernels/grouped_gemm/grouped_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "devices/cuda/lower/lower.h"
#include "kernels/programs/kernels.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::made;
using Sizes = std::vector<std::int64_t>;
using Shared = std::shared_ptr<const Tensor>;

Shared whole(Shape shape, FillRole role, std::uint64_t seed, DType dtype = DType::f32) {
  return std::make_shared<const Tensor>(
      made(dtype, std::move(shape), role, Fill::integers, 4000, seed));
}

GroupedGemmOptions options_of(Sizes lhs, Sizes rhs) {
  GroupedGemmOptions options;
  options.lhs_contracting = std::move(lhs);
  options.rhs_contracting = std::move(rhs);
  options.preferred_element_type = DType::f32;
  options.device = "interpreter";
  options.tiling = Tiling{32, 32, 32};
  return options;
}

Tensor vector_of(const std::vector<float>& values) {
  Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

// Access to element (i, k) of group g. The shape per group is [left, right].
struct Blocks {
  const Tensor& data;
  Sizes left, right;
  bool trans;
  double at(std::size_t g, std::int64_t i, std::int64_t k) const {
    std::int64_t offset = 0;
    for (std::size_t h = 0; h < g; ++h) offset += left[h] * right[h];
    return data.at(offset + (trans ? k * right[g] + i : i * right[g] + k));
  }
};

// Returns the result by its definition, flattened.
std::vector<double> naive(const Blocks& a, const Blocks& b, const GroupedGemmOptions& options,
                          std::int64_t columns, std::int64_t elements) {
  std::vector<double> out(static_cast<std::size_t>(elements), 0);
  std::int64_t row = 0;
  for (std::size_t g = 0; g < a.left.size(); ++g) {
    const auto group = static_cast<std::int64_t>(g);
    const std::int64_t rows = a.trans ? a.right[g] : a.left[g],
                       k = a.trans ? a.left[g] : a.right[g];
    for (std::int64_t i = 0; i < rows; ++i, ++row) {
      for (std::int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        // Unless b is transposed, its rows are the contraction: uses element (j, t) of its
        // transpose.
        for (std::int64_t t = 0; t < k; ++t)
          sum += a.at(g, i, t) * Blocks{b.data, b.left, b.right, !b.trans}.at(g, j, t);
        sum *= options.alpha ? options.alpha->at(group) : 1;
        const std::int64_t at = row * columns + j;
        if (options.beta && options.beta->at(group) != 0)
          sum += options.beta->at(group) * options.c->at(at);
        if (options.bias) sum += options.bias->at(group * columns + j);
        out[static_cast<std::size_t>(at)] = sum;
      }
    }
  }
  return out;
}

void expect_values(const GroupedTensor& lhs, const GroupedTensor& rhs,
                   const GroupedGemmOptions& options, const std::vector<double>& want,
                   const Shape& shape) {
  const auto out = grouped_gemm(lhs, rhs, options);
  ASSERT_TRUE(out) << render(out.diags());
  ASSERT_EQ(out->shape(), shape);
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(out->at(static_cast<std::int64_t>(i)), want[i]) << i;
  CheckOptions how;
  how.values = Arithmetic::Values::small_integers;
  EXPECT_TRUE(check_grouped_gemm(lhs, rhs, options, *out, how).ok);
  if (out->elements() == 0) return;
  Tensor spoilt = out->clone();
  spoilt.set(0, spoilt.at(0) + 1);
  EXPECT_FALSE(check_grouped_gemm(lhs, rhs, options, spoilt, how).ok);
}

std::string refusal(const GroupedTensor& lhs, const GroupedTensor& rhs,
                    const GroupedGemmOptions& options) {
  const auto out = grouped_gemm(lhs, rhs, options);
  if (out) return "none";
  const Diag& diag = out.diags().front();
  const char* const kinds[] = {"ValueError", "TypeError", "NotImplementedError", "RuntimeError",
                               "environment"};
  return std::string(kinds[static_cast<int>(diag.code)]) + ": " + diag.message;
}

// A forward call with three groups, one of them empty.
struct Forward {
  Sizes sizes{5, 0, 9};
  std::int64_t k = 13, n = 7;
  GroupedTensor lhs = no_scale_tensor(whole({14, 13}, FillRole::lhs, 1), dim_sizes({5, 0, 9}));
  GroupedTensor rhs = no_scale_tensor(whole({3, 13, 7}, FillRole::rhs, 2));
  GroupedGemmOptions options = options_of({1}, {1});

  Blocks a() const { return {*lhs.data, sizes, Sizes(3, k), false}; }
  Blocks b() const { return {*rhs.data, Sizes(3, k), Sizes(3, n), false}; }
};

TEST(GroupedGemm, T2_either_dims_may_be_ragged_on_either_operand) {
  const Sizes sizes{5, 0, 9};
  const std::int64_t k = 13, n = 7, total = 14;
  const Sizes ks(3, k), ns(3, n);
  struct Row {
    GroupedTensor lhs, rhs;
    Sizes l, r;
    Blocks a, b;
    Shape out;
    bool v2;
  };
  const auto x = whole({total, k}, FillRole::lhs, 1), xt = whole({k, total}, FillRole::lhs, 2),
             w = whole({3, k, n}, FillRole::rhs, 3), wt = whole({3, n, k}, FillRole::rhs, 4),
             y = whole({total, n}, FillRole::rhs, 5), yt = whole({n, total}, FillRole::rhs, 6);
  const DimSizes dims = dim_sizes(sizes);
  const std::vector<Row> rows = {
      // ragged rows: lhs not transposed, weights in both layouts
      {no_scale_tensor(x, dims),
       no_scale_tensor(w),
       {1},
       {1},
       {*x, sizes, ks, false},
       {*w, ks, ns, false},
       {total, n},
       true},
      {no_scale_tensor(x, dims),
       no_scale_tensor(wt),
       {1},
       {2},
       {*x, sizes, ks, false},
       {*wt, ns, ks, true},
       {total, n},
       true},
      // ragged rows in the last dims of a transposed lhs
      {no_scale_tensor(xt, nullptr, dims),
       no_scale_tensor(w),
       {0},
       {1},
       {*xt, ks, sizes, true},
       {*w, ks, ns, false},
       {total, n},
       false},
      // ragged contraction: first dims of both operands, last dims of one or both
      {no_scale_tensor(x, dims),
       no_scale_tensor(y, dims),
       {0},
       {0},
       {*x, sizes, ks, true},
       {*y, sizes, ns, false},
       {3, k, n},
       true},
      {no_scale_tensor(xt, nullptr, dims),
       no_scale_tensor(y, dims),
       {1},
       {0},
       {*xt, ks, sizes, false},
       {*y, sizes, ns, false},
       {3, k, n},
       false},
      {no_scale_tensor(x, dims),
       no_scale_tensor(yt, nullptr, dims),
       {0},
       {1},
       {*x, sizes, ks, true},
       {*yt, ns, sizes, true},
       {3, k, n},
       false},
      {no_scale_tensor(xt, nullptr, dims),
       no_scale_tensor(yt, nullptr, dims),
       {1},
       {1},
       {*xt, ks, sizes, false},
       {*yt, ns, sizes, true},
       {3, k, n},
       false},
      // a transposed lhs without sizes uses the sizes of rhs
      {no_scale_tensor(x),
       no_scale_tensor(y, dims),
       {0},
       {0},
       {*x, sizes, ks, true},
       {*y, sizes, ns, false},
       {3, k, n},
       true},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    const Row& row = rows[i];
    GroupedGemmOptions options = options_of(row.l, row.r);
    const auto want = naive(row.a, row.b, options, n, elements(row.out));
    const auto support = grouped_gemm_v2_support(row.lhs, row.rhs, options);
    ASSERT_TRUE(support) << render(support.diags());
    EXPECT_EQ(support->ok, row.v2);
    EXPECT_EQ(support->reason.empty(), row.v2);
    for (const GroupedGemmPath path :
         {GroupedGemmPath::Auto, GroupedGemmPath::V1, GroupedGemmPath::V2}) {
      options.path = path;
      if (path == GroupedGemmPath::V2 && !row.v2) {
        EXPECT_NE(refusal(row.lhs, row.rhs, options).find(support->reason), std::string::npos);
        continue;
      }
      expect_values(row.lhs, row.rhs, options, want, row.out);
    }
    options.path = GroupedGemmPath::Auto;
    options.device = "reference";
    options.tiling = {};
    expect_values(row.lhs, row.rhs, options, want, row.out);
  }
}

TEST(GroupedGemm, T4_T5_T6_T18_axes_are_merged_at_the_boundary_and_the_result_is_inferred) {
  // (2, 3, K) over 6 rows by (G, K, 4, 5), and by (G, 4, 5, K); a wgrad of (B, S, K) and (B, S, N).
  const Sizes sizes{4, 2};
  const DimSizes dims = dim_sizes(sizes);
  const auto x = whole({2, 3, 8}, FillRole::lhs, 1);
  const auto w = whole({2, 8, 4, 5}, FillRole::rhs, 2), wt = whole({2, 4, 5, 8}, FillRole::rhs, 3),
             y = whole({2, 3, 20}, FillRole::rhs, 4);
  const Sizes ks(2, 8), ns(2, 20);
  const Blocks rows{*x, sizes, ks, false};
  GroupedGemmOptions options = options_of({2}, {1});
  expect_values(no_scale_tensor(x, dims), no_scale_tensor(w), options,
                naive(rows, {*w, ks, ns, false}, options, 20, 120), {2, 3, 4, 5});
  options = options_of({2}, {3});
  expect_values(no_scale_tensor(x, dims), no_scale_tensor(wt), options,
                naive(rows, {*wt, ns, ks, true}, options, 20, 120), {2, 3, 4, 5});
  const auto run = run_grouped_gemm(no_scale_tensor(x, dims), no_scale_tensor(wt), options);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->out_first_dims, dims);
  EXPECT_EQ(run->out_last_dims, nullptr);
  options = options_of({0, 1}, {0, 1});
  expect_values(no_scale_tensor(x, dims), no_scale_tensor(y, dims), options,
                naive({*x, sizes, ks, true}, {*y, sizes, ns, false}, options, 20, 320), {2, 8, 20});
  const auto wgrad = run_grouped_gemm(no_scale_tensor(x, dims), no_scale_tensor(y, dims), options);
  ASSERT_TRUE(wgrad);
  EXPECT_EQ(wgrad->out_first_dims, nullptr);
  // Contracted axes that are not adjacent, or in the middle.
  EXPECT_EQ(
      refusal(no_scale_tensor(x, dims), no_scale_tensor(w), options_of({0, 2}, {1, 2})),
      "ValueError: the contracting dims of lhs must follow each other at one end of its axes, "
      "got (0, 2) of 3 axes");
  EXPECT_EQ(refusal(no_scale_tensor(x, dims), no_scale_tensor(w), options_of({2}, {2})),
            "ValueError: the contracting dims of rhs must follow each other at one end of its axes "
            "after the groups, got (2) of 4 axes");
}

TEST(GroupedGemm, T9_contractions_must_agree) {
  const Forward f;
  EXPECT_EQ(refusal(f.lhs, no_scale_tensor(whole({3, 12, 7}, FillRole::rhs, 1)), f.options),
            "ValueError: Mismatched contracting dimensions: K_lhs=13, K_rhs=12 (from "
            "lhs_shape=(14, 13), rhs_shape=(3, 12, 7))");
}

TEST(GroupedGemm, T10_alpha_and_beta_are_of_each_group_and_beta_0_never_reads_c) {
  Forward f;
  const Tensor alpha = vector_of({2, 3, -1}), beta = vector_of({0, 1, 2});
  Tensor c = made(DType::f32, {14, 7}, FillRole::existing, Fill::integers, 1, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t i = 0; i < 5 * 7; ++i) c.set(i, nan);  // group 0, for which beta is 0
  f.options.alpha = &alpha;
  f.options.beta = &beta;
  f.options.c = &c;
  for (const GroupedGemmPath path : {GroupedGemmPath::V1, GroupedGemmPath::V2}) {
    f.options.path = path;
    expect_values(f.lhs, f.rhs, f.options, naive(f.a(), f.b(), f.options, f.n, 14 * 7), {14, 7});
  }
  // beta = 0 for all groups, and C is all NaN: in a product and in a wgrad.
  const Tensor zeros = vector_of({0, 0, 0});
  Tensor poison(DType::f32, {14, 7});
  for (std::int64_t i = 0; i < poison.elements(); ++i) poison.set(i, nan);
  f.options.beta = &zeros;
  f.options.c = &poison;
  expect_values(f.lhs, f.rhs, f.options, naive(f.a(), f.b(), f.options, f.n, 14 * 7), {14, 7});

  const Tensor short_one = vector_of({1, 2}), wrong_type(DType::i32, {3});
  f.options.c = &c;
  f.options.alpha = &short_one;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options), "ValueError: Expected alpha shape (3,), got (2,)");
  f.options.alpha = &wrong_type;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options), "ValueError: Expected alpha dtype float32, got i32");
  f.options.alpha = nullptr;
  f.options.beta = &short_one;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options), "ValueError: Expected beta shape (3,), got (2,)");
  f.options.beta = &beta;
  f.options.c = nullptr;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options), "ValueError: beta[1] = 1 and there is no C");
  f.options.beta = nullptr;
  f.options.c = &c;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options),
            "ValueError: C is given, and no beta that multiplies it");
}

TEST(GroupedGemm, T11_a_bias_is_added_to_each_groups_rows) {
  Forward f;
  const Tensor bias = made(DType::f32, {3, 7}, FillRole::existing, Fill::integers, 1, 3);
  f.options.bias = &bias;
  for (const GroupedGemmPath path : {GroupedGemmPath::V1, GroupedGemmPath::V2}) {
    f.options.path = path;
    expect_values(f.lhs, f.rhs, f.options, naive(f.a(), f.b(), f.options, f.n, 14 * 7), {14, 7});
  }
  const Tensor wrong(DType::f32, {7});
  f.options.bias = &wrong;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options),
            "ValueError: bias shape (7,) does not match expected shape (3, 7)");
}

TEST(GroupedGemm, T12_a_group_offset_is_refused) {
  Forward f;
  const Tensor offset(DType::i32, {1});
  f.options.group_offset = &offset;
  EXPECT_EQ(refusal(f.lhs, f.rhs, f.options),
            "RuntimeError: group_offset is not supported yet and is instead computed internally "
            "assuming contiguous grouping. Any padding is included in the group_sizes and padded "
            "with zeros to not affect the result of the MoE block.");
}

TEST(GroupedGemm, T1_T2_T7_sizes_are_judged_with_the_texts_of_the_source) {
  const Forward f;
  const auto with = [&](const DimSizes& first, const DimSizes& last) {
    GroupedTensor lhs = f.lhs;
    lhs.first_dims = first;
    lhs.last_dims = last;
    return refusal(lhs, f.rhs, f.options);
  };
  EXPECT_EQ(with(nullptr, nullptr),
            "ValueError: Cannot infer number of gemms since neither lhs nor rhs has first_dims or "
            "last_dims. Ensure that at least one of the input tensors has valid first_dims or "
            "last_dims.For grouped_gemm, at least one tensor must be ragged.");
  EXPECT_EQ(with(dim_sizes({}), nullptr),
            "ValueError: grouped_gemm requires at least one non-empty dimension array. Ensure lhs "
            "or rhs tensor objects carry first_dims or last_dims.");
  EXPECT_EQ(with(dim_sizes({5, 9}), nullptr),
            "ValueError: Expected group_sizes.size == rhs_shape[0], but got group_sizes.size=2, "
            "rhs_shape[0]=3");
  EXPECT_EQ(with(dim_sizes({5, 0, 9}), dim_sizes({5, 0, 8})),
            "ValueError: lhs is ragged in both first_dims and last_dims: expected consecutive "
            "groups in a "
            "tensor of shape (1, elements), found shape (14, 13)");
  EXPECT_EQ(with(dim_sizes({5, 1, 9}), nullptr),
            "ValueError: Unexpected group_sizes! M = 14, got sum(group_sizes)=15");
  EXPECT_EQ(with(dim_sizes({5, -1, 9}), nullptr), "ValueError: group_sizes[1] = -1 is negative");
  EXPECT_EQ(with(std::make_shared<const Tensor>(DType::i64, Shape{3}), nullptr),
            "ValueError: group_sizes must be int32.");
  GroupedTensor rhs = f.rhs;
  rhs.last_dims = dim_sizes({1, 2});
  EXPECT_EQ(refusal(f.lhs, rhs, f.options),
            "ValueError: grouped GEMM rhs_last_dims has size 2, expected num_groups=3");
  rhs.last_dims = dim_sizes({1, 2, 4});
  EXPECT_EQ(refusal(f.lhs, rhs, options_of({1}, {0})).substr(0, 47),
            "NotImplementedError: rhs is ragged in its last ");
  // V1 requires that the sizes fill the operand. V2 sets rows that belong to no group to zero.
  GroupedTensor lhs = f.lhs;
  lhs.first_dims = dim_sizes({5, 0, 8});
  GroupedGemmOptions options = f.options;
  options.path = GroupedGemmPath::V1;
  EXPECT_EQ(refusal(lhs, f.rhs, options),
            "ValueError: Unexpected group_sizes! M = 14, got sum(group_sizes)=13");
  options.path = GroupedGemmPath::V2;
  const auto out = grouped_gemm(lhs, f.rhs, options);
  ASSERT_TRUE(out);
  for (std::int64_t j = 0; j < 7; ++j) EXPECT_EQ(out->at(13 * 7 + j), 0);
}

TEST(GroupedGemm, T8_contracted_sizes_of_both_operands_agree) {
  const auto x = whole({14, 13}, FillRole::lhs, 1), y = whole({14, 7}, FillRole::rhs, 2);
  const GroupedGemmOptions options = options_of({0}, {0});
  EXPECT_EQ(refusal(no_scale_tensor(x, dim_sizes({5, 0, 9})),
                    no_scale_tensor(y, dim_sizes({4, 1, 9})), options),
            "ValueError: Contracting dimension mismatch: group 0 has 5 in lhs and 4 in rhs");
  EXPECT_EQ(refusal(no_scale_tensor(x, dim_sizes({5, 0, 10})),
                    no_scale_tensor(y, dim_sizes({5, 0, 10})), options),
            "ValueError: Unexpected group_sizes! K = 14, got sum(group_sizes)=15");
}

TEST(GroupedGemm, T3_T13_T14_scaling_modes_agree_and_nvfp4_says_why_not) {
  const Forward f;
  const auto scaled = [](const GroupedTensor& tensor, std::int64_t boundary, ScalingMode mode,
                         DType type = DType::e4m3) {
    QuantizeSpec spec;
    spec.mode = mode;
    spec.dtype = type;
    spec.delayed_scales = {1, 1, 1};
    return *quantize_grouped(tensor, boundary, 3, MxAlong::rows, spec);
  };
  const GroupedTensor lhs = scaled(f.lhs, 1, ScalingMode::CurrentTensor),
                      rhs = scaled(f.rhs, 2, ScalingMode::CurrentTensor);
  EXPECT_EQ(refusal(scaled(no_scale_tensor(whole({14, 16}, FillRole::lhs, 1), f.lhs.first_dims), 1,
                           ScalingMode::CurrentTensor),
                    scaled(no_scale_tensor(whole({3, 16, 7}, FillRole::rhs, 2)), 2,
                           ScalingMode::CurrentTensor),
                    f.options),
            "none");
  EXPECT_EQ(
      refusal(f.lhs, rhs, f.options),
      "TypeError: lhs is GroupedNoScaleTensor but rhs is GroupedScaledTensor1x; both operands "
      "must use the same tensor type.");
  EXPECT_EQ(refusal(lhs, scaled(f.rhs, 2, ScalingMode::DelayedTensor), f.options),
            "ValueError: Mismatched scaling modes: CURRENT_TENSOR_SCALING vs "
            "DELAYED_TENSOR_SCALING");
  EXPECT_EQ(refusal(scaled(f.lhs, 1, ScalingMode::CurrentTensor, DType::e5m2),
                    scaled(f.rhs, 2, ScalingMode::CurrentTensor, DType::e5m2), f.options),
            "ValueError: FP8 GEMM does not support E5M2 * E5M2");
  QuantizeSpec nvfp4;
  nvfp4.mode = ScalingMode::Nvfp4_1D;
  const auto refused = quantize_grouped(f.lhs, 1, 3, MxAlong::rows, nvfp4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags().front().code, ErrorCode::unsupported);
  EXPECT_EQ(refused.diags().front().message,
            "NVFP4 holds its elements as e2m1, two in a byte, and there is no such type here");
  QuantizeSpec rounded;
  rounded.scale_rounding = ScaleRounding::down;
  const auto of_tensors = quantize_grouped(f.lhs, 1, 3, MxAlong::rows, rounded);
  ASSERT_FALSE(of_tensors);
  EXPECT_EQ(of_tensors.diags().front().message,
            "scale_rounding is for MXFP8_1D_SCALING, and the mode is CURRENT_TENSOR_SCALING");
  const auto unknown = scaling_mode(6);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.diags().front().message, "Unsupported scaling mode: 6");
  GroupedTensor other = f.rhs;
  other.dq_dtype = DType::bf16;
  EXPECT_EQ(refusal(f.lhs, other, f.options), "ValueError: Mismatched output dtypes: f32 vs bf16");
  // MXFP8 operands that are not swizzled yet.
  const auto x = no_scale_tensor(whole({14, 32}, FillRole::lhs, 1), dim_sizes({5, 0, 9})),
             w = no_scale_tensor(whole({3, 32, 7}, FillRole::rhs, 2));
  QuantizeSpec mx;
  mx.mode = ScalingMode::Mxfp8_1D;
  GroupedTensor left = *quantize_grouped(x, 1, 3, MxAlong::rows, mx);
  const GroupedTensor right = *quantize_grouped(w, 2, 3, MxAlong::columns, mx);
  EXPECT_EQ(refusal(left, right, f.options), "none");
  left.pre_swizzled = false;
  EXPECT_EQ(refusal(left, right, f.options),
            "ValueError: lhs must be pre-swizzled for MXFP8 1D scaling");
}

TEST(GroupedGemm, T14_quantised_operands_contract_a_multiple_of_16_or_32) {
  const auto with = [](std::int64_t k, Sizes sizes, ScalingMode mode, bool is_wgrad) {
    const std::int64_t rows = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const auto groups = static_cast<std::int64_t>(sizes.size());
    const DimSizes dims = dim_sizes(sizes);
    QuantizeSpec spec;
    spec.mode = mode;
    if (mode == ScalingMode::DelayedTensor) spec.delayed_scales.assign(sizes.size(), 1);
    GroupedGemmOptions options = is_wgrad ? options_of({0}, {0}) : options_of({1}, {1});
    options.lhs_quantizer = options.rhs_quantizer = spec;
    const GroupedTensor x = no_scale_tensor(whole({rows, k}, FillRole::lhs, 1), dims);
    return is_wgrad ? refusal(x, no_scale_tensor(whole({rows, 7}, FillRole::rhs, 2), dims), options)
                    : refusal(x, no_scale_tensor(whole({groups, k, 7}, FillRole::rhs, 2)), options);
  };
  for (const ScalingMode mode : {ScalingMode::CurrentTensor, ScalingMode::DelayedTensor}) {
    // The number of rows is not restricted. The contraction is, unless it is empty.
    EXPECT_EQ(with(48, {5, 0, 9}, mode, false), "none");
    EXPECT_EQ(with(0, {5, 0, 9}, mode, false), "none");
    EXPECT_EQ(with(40, {5, 0, 9}, mode, false),
              "ValueError: cuBLAS GEMM LHS tensor's contracting dimension must be a multiple of 16 "
              "when using quantized inputs. Got contracting_size=40");
    EXPECT_EQ(with(13, {16, 0, 48}, mode, true), "none");
    EXPECT_EQ(with(13, {16, 0, 40}, mode, true),
              "ValueError: cuBLAS GEMM LHS tensor's contracting dimension must be a multiple of 16 "
              "when using quantized inputs. Got contracting_size=40 in group 2");
  }
  EXPECT_EQ(with(96, {5, 0, 9}, ScalingMode::Mxfp8_1D, false), "none");
  EXPECT_EQ(
      with(48, {5, 0, 9}, ScalingMode::Mxfp8_1D, false),
      "ValueError: MXFP8 scales apply to 32 elements, which do not divide the contraction of 48 "
      "in group 0 of lhs");
  EXPECT_EQ(
      with(13, {64, 0, 48}, ScalingMode::Mxfp8_1D, true),
      "ValueError: MXFP8 scales apply to 32 elements, which do not divide the contraction of 48 "
      "in group 2 of lhs");
  // Without scales, the contraction is not restricted.
  const auto q = std::make_shared<const Tensor>(DType::e4m3, Shape{14, 13});
  const auto w = std::make_shared<const Tensor>(DType::e4m3, Shape{3, 13, 7});
  EXPECT_EQ(
      refusal(no_scale_tensor(q, dim_sizes({5, 0, 9})), no_scale_tensor(w), options_of({1}, {1})),
      "none");
}

// The cast options apply to the elements, and so to the product.
TEST(GroupedGemm, D14_quantisers_round_scales_and_overflow_as_they_are_told) {
  auto x = std::make_shared<Tensor>(DType::f32, Shape{4, 32});
  for (std::int64_t i = 0; i < x->elements(); ++i) x->as<float>()[i] = 500;
  const GroupedTensor lhs = no_scale_tensor(x, dim_sizes({4}));
  const auto value = [&](ScaleRounding rounding, Overflow overflow) {
    QuantizeSpec spec;
    spec.mode = ScalingMode::Mxfp8_1D;
    spec.scale_rounding = rounding;
    spec.overflow = overflow;
    const GroupedTensor q = *quantize_grouped(lhs, 1, 1, MxAlong::rows, spec);
    return dequantize_grouped(q, 1, 1, MxAlong::rows)->at(0);
  };
  EXPECT_EQ(value(ScaleRounding::up, Overflow::saturate), 512);  // 250 of 2
  EXPECT_EQ(value(ScaleRounding::down, Overflow::saturate), 448);
  EXPECT_TRUE(std::isnan(value(ScaleRounding::down, Overflow::ieee)));
}

TEST(GroupedGemm, T15_a_negative_answer_has_its_reason_and_can_be_enforced) {
  const auto xt = whole({13, 14}, FillRole::lhs, 1), w = whole({3, 13, 7}, FillRole::rhs, 2);
  const GroupedTensor lhs = no_scale_tensor(xt, nullptr, dim_sizes({5, 0, 9})),
                      rhs = no_scale_tensor(w);
  const GroupedGemmOptions options = options_of({0}, {1});
  const std::string reason =
      "lhs is ragged in its last dims: its groups are matrices of different row lengths, not rows "
      "of one matrix";
  const auto run = run_grouped_gemm(lhs, rhs, options);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->path, GroupedGemmPath::V1);
  EXPECT_EQ(run->why_not_v2, reason);
  setenv("NVTE_JAX_ENFORCE_V2_GROUPED_GEMM", "1", 1);
  EXPECT_EQ(refusal(lhs, rhs, options),
            "RuntimeError: The TE V2 grouped GEMM is not supported for the given input parameters, "
            "but NVTE_JAX_ENFORCE_V2_GROUPED_GEMM is enabled. The reason for V2 grouped GEMM not "
            "being supported: " +
                reason);
  setenv("NVTE_JAX_ENFORCE_V2_GROUPED_GEMM", "yes", 1);
  EXPECT_EQ(refusal(lhs, rhs, options),
            "ValueError: NVTE_JAX_ENFORCE_V2_GROUPED_GEMM must be an integer (0 or 1), got: yes");
  unsetenv("NVTE_JAX_ENFORCE_V2_GROUPED_GEMM");
}

TEST(GroupedGemm, T16_empty_products_are_beta_c_or_zero) {
  // Group 1 of a wgrad has an empty contraction.
  const Sizes sizes{5, 0, 9};
  const auto x = whole({14, 13}, FillRole::lhs, 1), y = whole({14, 7}, FillRole::rhs, 2);
  GroupedGemmOptions options = options_of({0}, {0});
  const Tensor beta = vector_of({1, 1, 0});
  const Tensor c = made(DType::f32, {3, 13, 7}, FillRole::existing, Fill::integers, 1, 3);
  const GroupedTensor lhs = no_scale_tensor(x, dim_sizes(sizes)),
                      rhs = no_scale_tensor(y, dim_sizes(sizes));
  for (const GroupedGemmPath path : {GroupedGemmPath::V1, GroupedGemmPath::V2}) {
    options.path = path;
    options.beta = nullptr;
    options.c = nullptr;
    const auto plain = grouped_gemm(lhs, rhs, options);
    ASSERT_TRUE(plain);
    for (std::int64_t i = 0; i < 91; ++i) ASSERT_EQ(plain->at(91 + i), 0);
    options.beta = &beta;
    options.c = &c;
    const auto added = grouped_gemm(lhs, rhs, options);
    ASSERT_TRUE(added);
    for (std::int64_t i = 0; i < 91; ++i) ASSERT_EQ(added->at(91 + i), c.at(91 + i));
  }
  // An empty contraction, and no rows.
  options = options_of({1}, {1});
  const auto zero =
      grouped_gemm(no_scale_tensor(whole({14, 0}, FillRole::lhs, 1), dim_sizes(sizes)),
                   no_scale_tensor(whole({3, 0, 7}, FillRole::rhs, 1)), options);
  ASSERT_TRUE(zero) << render(zero.diags());
  for (std::int64_t i = 0; i < zero->elements(); ++i) ASSERT_EQ(zero->at(i), 0);
  const auto none =
      grouped_gemm(no_scale_tensor(whole({0, 13}, FillRole::lhs, 1), dim_sizes({0, 0, 0})),
                   no_scale_tensor(whole({3, 13, 7}, FillRole::rhs, 1)), options);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->shape(), (Shape{0, 7}));
}

TEST(GroupedGemm, T17_more_than_1024_groups) {
  constexpr std::int64_t groups = 1300;
  Sizes sizes(groups);
  for (std::size_t g = 0; g < sizes.size(); ++g) sizes[g] = static_cast<std::int64_t>(g % 3);
  const std::int64_t rows = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const auto x = whole({rows, 4}, FillRole::lhs, 1), w = whole({groups, 4, 3}, FillRole::rhs, 2);
  const GroupedTensor lhs = no_scale_tensor(x, dim_sizes(sizes)), rhs = no_scale_tensor(w);
  GroupedGemmOptions options = options_of({1}, {1});
  options.tiling = Tiling{8, 8, 8};
  expect_values(lhs, rhs, options,
                naive({*x, sizes, Sizes(groups, 4), false},
                      {*w, Sizes(groups, 4), Sizes(groups, 3), false}, options, 3, rows * 3),
                {rows, 3});
  options.path = GroupedGemmPath::V1;
  options.use_async_d2h_group_sizes = true;
  EXPECT_EQ(refusal(lhs, rhs, options),
            "ValueError: num_gemms 1300 exceeds the maximum supported number 1024 to be downloaded "
            "in advance.");
  // The single kernel fetches nothing, for any number of groups.
  for (const GroupedGemmPath path : {GroupedGemmPath::Auto, GroupedGemmPath::V2}) {
    options.path = path;
    EXPECT_EQ(
        refusal(lhs, rhs, options),
        "ValueError: use_async_d2h_group_sizes is for path V1, which this call does not take");
  }
}

TEST(GroupedGemm, operands_that_are_none_are_errors) {
  const Forward f;
  EXPECT_EQ(refusal({}, f.rhs, f.options), "ValueError: lhs has no data");
  GroupedTensor rhs = f.rhs;
  rhs.data = std::make_shared<const Tensor>();
  EXPECT_EQ(refusal(f.lhs, rhs, f.options), "ValueError: rhs has no data");
  GroupedTensor lhs = f.lhs;
  lhs.original_shape = {-1, 13};
  EXPECT_EQ(refusal(lhs, f.rhs, f.options),
            "ValueError: lhs has shape (-1, 13), which is negative or too large");
  GroupedGemmOptions options = f.options;
  options.lhs_quantizer = options.rhs_quantizer = QuantizeSpec{};
  options.rhs_quantizer->dtype = DType::bf16;
  EXPECT_EQ(refusal(f.lhs, f.rhs, options),
            "TypeError: elements are quantised to e4m3 or e5m2, not bf16");
  options.rhs_quantizer->dtype = DType::e4m3;
  options.rhs_quantizer->delayed_scales = {1, 1, 1};
  EXPECT_EQ(refusal(f.lhs, f.rhs, options),
            "ValueError: delayed_scales are for DELAYED_TENSOR_SCALING, and the mode is "
            "CURRENT_TENSOR_SCALING");
  // A result with another shape is also a mismatch.
  const Verdict verdict =
      check_grouped_gemm(f.lhs, f.rhs, f.options, Tensor(DType::f32, {2, 2}), {});
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.message,
            "this cannot be checked: the result has shape (2, 2), expected (14, 7)");
  EXPECT_FALSE(check_grouped_gemm({}, f.rhs, f.options, Tensor(), {}).ok);
}

// The CUDA source does not depend on the sizes and the number of groups: the device reads the
// sizes.
TEST(GroupedGemm, T17_the_one_kernel_lowers_to_cuda_whatever_the_groups) {
  const auto lowered = [](std::string_view kernel, const char* rows, const char* groups,
                          const char* type) {
    Settings settings{{"T", type},       {"R", type},    {"U", "bf16"}, {"B", "bf16"},
                      {"m", rows},       {"k", "128"},   {"n", "256"},  {"groups", groups},
                      {"existing", "1"}, {"biased", "1"}};
    settings[kernel == "grouped_gemm" ? "tk" : "tm"] = "64";
    const auto program = make_kernel(kernel, settings);
    EXPECT_TRUE(program) << render(program.diags());
    return cuda::lower(*program);
  };
  for (const char* kernel : {"grouped_gemm", "grouped_gemm_wgrad"}) {
    const auto few = lowered(kernel, "256", "3", "bf16"),
               many = lowered(kernel, "70016", "1300", "bf16");
    ASSERT_TRUE(few) << render(few.diags());
    ASSERT_TRUE(many) << render(many.diags());
    EXPECT_EQ(few->source, many->source);
  }
  const auto fp8 = lowered("grouped_gemm", "256", "3", "e4m3");
  ASSERT_FALSE(fp8);
  EXPECT_EQ(fp8.diags().front().code, ErrorCode::unsupported);
  EXPECT_EQ(fp8.diags().front().message,
            "`rhs` is contiguous across the contraction; the matrix instructions for elements of "
            "one byte read operands that are contiguous along it");
}

// With integers, central differences of step 1 of a bilinear function are exact in f64.
TEST(GroupedGemm, T20_gradients_are_the_finite_differences_in_f64) {
  for (const bool turned : {false, true}) {
    const Sizes sizes{3, 0, 4}, ks(3, 5), ns(3, 6);
    GroupedTensor lhs = no_scale_tensor(whole({7, 5}, FillRole::lhs, 1), dim_sizes(sizes));
    GroupedTensor rhs =
        no_scale_tensor(whole(turned ? Shape{3, 6, 5} : Shape{3, 5, 6}, FillRole::rhs, 2));
    const Tensor bias = made(DType::f32, {3, 6}, FillRole::existing, Fill::integers, 1, 3),
                 ct = made(DType::f32, {7, 6}, FillRole::existing, Fill::integers, 1, 4);
    GroupedGemmOptions options = options_of({1}, {turned ? 2 : 1});
    options.bias = &bias;
    const auto gradients = grouped_dense_vjp(ct, lhs, rhs, options);
    ASSERT_TRUE(gradients) << render(gradients.diags());
    const auto loss = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
      GroupedGemmOptions with = options;
      with.bias = &b;
      const auto out = naive({x, sizes, ks, false}, {w, turned ? ns : ks, turned ? ks : ns, turned},
                             with, 6, 42);
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i)
        sum += out[i] * ct.at(static_cast<std::int64_t>(i));
      return sum;
    };
    const auto compare = [&](const Tensor& operand, const Tensor& gradient, auto at) {
      ASSERT_EQ(gradient.shape(), operand.shape());
      Tensor point = operand.clone();
      for (std::int64_t i = 0; i < point.elements(); ++i) {
        const double here = point.at(i);
        point.set(i, here + 1);
        const double above = at(point);
        point.set(i, here - 1);
        const double below = at(point);
        point.set(i, here);
        ASSERT_EQ(gradient.at(i), (above - below) / 2) << i;
      }
    };
    compare(*lhs.data, gradients->lhs, [&](const Tensor& x) { return loss(x, *rhs.data, bias); });
    compare(*rhs.data, gradients->rhs, [&](const Tensor& w) { return loss(*lhs.data, w, bias); });
    compare(bias, *gradients->bias, [&](const Tensor& b) { return loss(*lhs.data, *rhs.data, b); });
  }
}

}  // namespace
}  // namespace tessera
