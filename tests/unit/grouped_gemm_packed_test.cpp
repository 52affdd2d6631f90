// Grouped GEMMs with groups that differ in two or three extents: SameFirst, SameLast and
// AllDifferent in TransformerEngine's tests/cpp/operator/test_grouped_gemm.cu.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/grouped_gemm/grouped_gemm.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::made;
using Sizes = std::vector<std::int64_t>;

struct Extents {
  std::int64_t m, n, k;
};
using Groups = std::vector<Extents>;

const Groups same_first = {{64, 80, 32}, {64, 96, 48}, {64, 112, 64}},
             same_last = {{64, 80, 32}, {80, 80, 48}, {96, 80, 64}},
             all_different = {{64, 96, 32}, {80, 112, 48}, {96, 128, 64}},
             small_and_empty = {{3, 5, 7}, {0, 4, 6}, {5, 3, 0}, {9, 1, 33}};

Sizes each(const Groups& groups, std::int64_t Extents::*extent) {
  Sizes sizes;
  for (const Extents& group : groups) sizes.push_back(group.*extent);
  return sizes;
}

bool is_uniform(const Sizes& sizes) { return sizes == Sizes(sizes.size(), sizes[0]); }

std::int64_t total(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

// Returns the concatenated matrices of the groups, with the dims that differ and the resulting
// shape.
GroupedTensor operand(const Sizes& first, const Sizes& last, FillRole role, Fill fill,
                      std::uint64_t seed) {
  std::int64_t elements = 0;
  for (std::size_t g = 0; g < first.size(); ++g) elements += first[g] * last[g];
  const bool same_left = is_uniform(first), same_right = is_uniform(last);
  const Shape shape = same_left    ? Shape{first[0], total(last)}
                      : same_right ? Shape{total(first), last[0]}
                                   : Shape{1, elements};
  return no_scale_tensor(
      std::make_shared<const Tensor>(made(DType::f32, shape, role, fill, 4000, seed)),
      same_left ? nullptr : dim_sizes(first), same_right ? nullptr : dim_sizes(last));
}

struct Call {
  Groups groups;
  bool lhs_is_trans, rhs_is_trans;
  GroupedTensor lhs, rhs;
  GroupedGemmOptions options;

  Call(Groups all, bool l, bool r, Fill fill = Fill::integers)
      : groups(std::move(all)), lhs_is_trans(l), rhs_is_trans(r) {
    const Sizes m = each(groups, &Extents::m), n = each(groups, &Extents::n),
                k = each(groups, &Extents::k);
    lhs = operand(l ? k : m, l ? m : k, FillRole::lhs, fill, 1);
    rhs = operand(r ? n : k, r ? k : n, FillRole::rhs, fill, 2);
    options.lhs_contracting = {l ? 0 : 1};
    options.rhs_contracting = {r ? 1 : 0};
    options.preferred_element_type = DType::f32;
    options.device = "interpreter";
  }
  Shape out() const {
    const Sizes m = each(groups, &Extents::m), n = each(groups, &Extents::n);
    std::int64_t elements = 0;
    for (const Extents& group : groups) elements += group.m * group.n;
    return is_uniform(m)   ? Shape{m[0], total(n)}
           : is_uniform(n) ? Shape{total(m), n[0]}
                           : Shape{1, elements};
  }
  // Returns the result by its definition: the concatenated blocks of the groups.
  std::vector<double> naive() const {
    std::vector<double> all;
    std::int64_t at_a = 0, at_b = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto [m, n, k] = groups[g];
      const auto group = static_cast<std::int64_t>(g);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::int64_t t = 0; t < k; ++t)
            sum += lhs.data->at(at_a + (lhs_is_trans ? t * m + i : i * k + t)) *
                   rhs.data->at(at_b + (rhs_is_trans ? j * k + t : t * n + j));
          if (options.alpha) sum *= options.alpha->at(group);
          if (options.beta && options.beta->at(group) != 0)
            sum += options.beta->at(group) * options.c->at(static_cast<std::int64_t>(all.size()));
          all.push_back(sum);
        }
      }
      at_a += m * k;
      at_b += k * n;
    }
    return all;
  }
};

std::string refusal(const Call& call) {
  const auto out = grouped_gemm(call.lhs, call.rhs, call.options);
  return out ? "none" : out.diags().front().message;
}

TEST(GroupedGemmPacked, groups_of_any_shapes_either_way_on_the_interpreter_and_the_reference) {
  for (const Groups& groups : {same_first, same_last, all_different, small_and_empty}) {
    for (const int turned : {0, 1, 2, 3}) {
      Call call(groups, (turned & 1) != 0, (turned & 2) != 0);
      SCOPED_TRACE(to_string(call.out()) + " " + std::to_string(turned));
      const std::vector<double> want = call.naive();
      for (const char* const device : {"interpreter", "reference"}) {
        call.options.device = device;
        const auto run = run_grouped_gemm(call.lhs, call.rhs, call.options);
        ASSERT_TRUE(run) << render(run.diags());
        ASSERT_EQ(run->out.shape(), call.out());
        for (std::size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(run->out.at(static_cast<std::int64_t>(i)), want[i]) << i;
        CheckOptions how;
        how.values = Arithmetic::Values::small_integers;
        const Verdict verdict = check_grouped_gemm(call.lhs, call.rhs, call.options, run->out, how);
        EXPECT_TRUE(verdict.ok) << verdict.message;
        Tensor spoilt = run->out.clone();
        spoilt.set(spoilt.elements() - 1, spoilt.at(spoilt.elements() - 1) + 1);
        const Verdict wrong = check_grouped_gemm(call.lhs, call.rhs, call.options, spoilt, how);
        EXPECT_FALSE(wrong.ok);
        EXPECT_EQ(wrong.wrong_elements, 1);
        EXPECT_EQ(wrong.worst, (Sizes{call.out()[0] - 1, call.out()[1] - 1}));
      }
      const auto v2 = grouped_gemm_v2_support(call.lhs, call.rhs, call.options);
      ASSERT_TRUE(v2);
      EXPECT_FALSE(v2->ok);
      EXPECT_NE(v2->reason.find("is ragged in its last dims"), std::string::npos);
    }
  }
}

TEST(GroupedGemmPacked, the_results_sizes_are_inferred) {
  const auto sizes = [](const DimSizes& dims) {
    Sizes all;
    for (std::int64_t g = 0; dims && g < dims->elements(); ++g)
      all.push_back(static_cast<std::int64_t>(dims->at(g)));
    return all;
  };
  const auto expect = [&](const Groups& groups, const Sizes& first, const Sizes& last) {
    for (const bool turned : {false, true}) {
      const Call call(groups, turned, turned);
      const auto run = run_grouped_gemm(call.lhs, call.rhs, call.options);
      ASSERT_TRUE(run) << render(run.diags());
      EXPECT_EQ(run->path, GroupedGemmPath::V1);
      EXPECT_EQ(sizes(run->out_first_dims), first);
      EXPECT_EQ(sizes(run->out_last_dims), last);
    }
  };
  expect(same_first, {}, {80, 96, 112});
  expect(same_last, {64, 80, 96}, {});
  expect(all_different, {64, 80, 96}, {96, 112, 128});
}

TEST(GroupedGemmPacked, alpha_and_beta_c_are_of_each_group_and_a_bias_is_refused) {
  for (const Groups& groups : {same_first, same_last, small_and_empty}) {
    Call call(groups, false, true);
    Tensor alpha(DType::f32, {static_cast<std::int64_t>(groups.size())}), beta = alpha.clone();
    for (std::int64_t g = 0; g < alpha.elements(); ++g) {
      alpha.set(g, static_cast<double>(g) - 1);
      beta.set(g, g == 1 ? 0 : 2);
    }
    const Tensor c = made(DType::f32, call.out(), FillRole::existing, Fill::integers, 1, 3);
    call.options.alpha = &alpha;
    call.options.beta = &beta;
    call.options.c = &c;
    const std::vector<double> want = call.naive();
    for (const char* const device : {"interpreter", "reference"}) {
      call.options.device = device;
      const auto out = grouped_gemm(call.lhs, call.rhs, call.options);
      ASSERT_TRUE(out) << render(out.diags());
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(out->at(static_cast<std::int64_t>(i)), want[i]) << i;
      EXPECT_TRUE(check_grouped_gemm(call.lhs, call.rhs, call.options, *out, {}).ok);
    }
  }
  // As in the source. A bias requires equal numbers of columns.
  Call call(all_different, false, false);
  const Tensor bias(DType::f32, {3, 80});
  call.options.bias = &bias;
  EXPECT_EQ(refusal(call),
            "Grouped bias add requires uniform last dim for output and bias, and the groups of rhs "
            "have different columns");
  Call last(same_last, false, false);
  last.options.bias = &bias;
  EXPECT_EQ(refusal(last), "none");
}

TEST(GroupedGemmPacked, quantised_operands_have_scales_of_each_group) {
  // 32 divides every contraction except one of all_different.
  const Groups mx = {{64, 96, 32}, {80, 112, 96}, {96, 128, 64}};
  for (const ScalingMode mode :
       {ScalingMode::CurrentTensor, ScalingMode::DelayedTensor, ScalingMode::Mxfp8_1D}) {
    for (const int turned : {0, 1, 2, 3}) {
      Call call(mode == ScalingMode::Mxfp8_1D ? mx : all_different, (turned & 1) != 0,
                (turned & 2) != 0, Fill::normal);
      QuantizeSpec spec;
      spec.mode = mode;
      if (mode == ScalingMode::DelayedTensor) spec.delayed_scales = {32, 64, 16};
      call.options.lhs_quantizer = call.options.rhs_quantizer = spec;
      const auto out = grouped_gemm(call.lhs, call.rhs, call.options);
      ASSERT_TRUE(out) << render(out.diags());
      const Verdict verdict = check_grouped_gemm(call.lhs, call.rhs, call.options, *out, {});
      EXPECT_TRUE(verdict.ok) << verdict.message;
      // And close to the product of the original operands.
      const std::vector<double> want = call.naive();
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(out->at(static_cast<std::int64_t>(i)), want[i],
                    0.25 * (10 + std::abs(want[i])));
    }
  }
  Call call(all_different, false, false);
  QuantizeSpec spec;
  spec.mode = ScalingMode::Mxfp8_1D;
  call.options.lhs_quantizer = call.options.rhs_quantizer = spec;
  EXPECT_EQ(refusal(call),
            "MXFP8 scales apply to 32 elements, which do not divide the contraction of 48 in group "
            "1 of lhs");
}

TEST(GroupedGemmPacked, what_is_no_such_operand_is_refused_with_its_place) {
  const auto with = [](const Sizes& first, const Sizes& last, const Shape& shape) {
    Call call(small_and_empty, false, false);
    call.lhs = no_scale_tensor(std::make_shared<const Tensor>(DType::f32, shape), dim_sizes(first),
                               dim_sizes(last));
    return refusal(call);
  };
  const Sizes m{3, 0, 5, 9}, k{7, 6, 0, 33};
  EXPECT_EQ(with(m, k, {1, 318}), "none");
  EXPECT_EQ(
      with(m, k, {318}),
      "lhs is ragged in both first_dims and last_dims: expected consecutive groups in a tensor of "
      "shape (1, elements), found shape (318,)");
  EXPECT_EQ(with(m, k, {1, 317}),
            "the groups of lhs up to group 3 have more than its 317 elements");
  EXPECT_EQ(with(m, k, {1, 319}), "the groups of lhs have 318 elements together, and it has 319");
  EXPECT_EQ(with({3, 0, -5, 9}, k, {1, 318}), "group 2 of lhs is -5 x 0, which is negative");
  EXPECT_EQ(with({3, 0, 5}, k, {1, 318}),
            "grouped GEMM lhs_last_dims has size 4, expected num_groups=3");
  EXPECT_EQ(with(m, {6, 6, 0, 33}, {1, 315}),
            "Contracting dimension mismatch: group 0 has 6 in lhs and 7 in rhs");
  // An axis that does not exist, and all axes.
  Call call(small_and_empty, false, false);
  call.options.lhs_contracting = {2};
  EXPECT_EQ(
      refusal(call),
      "the contracting dims of lhs must follow each other at one end of its axes, got (2) of 2 "
      "axes");
  call.options.lhs_contracting = {0, 1};
  EXPECT_EQ(refusal(call), "every axis of lhs is contracted: it is not a matrix");
  // With equal weights, no contraction is ragged, and gradients are computed as for ragged rows.
  call.options.lhs_contracting = {1};
  call.rhs = no_scale_tensor(std::make_shared<const Tensor>(DType::f32, Shape{4, 7, 5}));
  call.options.rhs_contracting = {1};
  EXPECT_EQ(refusal(call), "the contraction of lhs is ragged and the contraction of rhs is not");
  // The sizes must fill the operand if the other operand is ragged along its last dims.
  Call padded(same_last, false, false);
  padded.rhs = no_scale_tensor(std::make_shared<const Tensor>(DType::f32, Shape{145, 80}),
                               padded.rhs.first_dims);
  EXPECT_EQ(refusal(padded), "Unexpected group_sizes! K = 145, got sum(group_sizes)=144");
  // A result that is too large for any memory.
  Call large({{INT32_MAX, INT32_MAX, 0}, {INT32_MAX, 5, 0}, {1, 2, 1}}, false, false);
  EXPECT_EQ(refusal(large),
            "the result of group 0 is too large: 2147483647 rows of 2147483647 columns");
  const Call last(same_last, false, false);
  const auto gradients =
      grouped_dense_vjp(Tensor(DType::f32, last.out()), last.lhs, last.rhs, last.options);
  ASSERT_FALSE(gradients);
  EXPECT_EQ(
      gradients.diags().front().message,
      "gradients are defined where the rows are ragged in lhs's first dims, as in grouped_dense");
}

}  // namespace
}  // namespace tessera
