// The published test cases of grouped matmuls, run on the interpreter. Integer fills must match bit
// for bit, the others stay within the a-priori bound, which is tighter than the sources'
// tolerances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/data/splitmix.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::Case;
using grouped::expect_gmm;
using grouped::expect_gradients;
using grouped::made;
using grouped::on_interpreter;
using grouped::Sizes;
using grouped::sizes_tensor;

constexpr Fill fills[] = {Fill::integers, Fill::normal};

Case make(std::int64_t m, std::int64_t k, std::int64_t n, Sizes sizes, DType dtype = DType::f32) {
  Case c;
  c.m = m;
  c.k = k;
  c.n = n;
  c.sizes = std::move(sizes);
  c.lhs = c.rhs = dtype;
  return c;
}

void expect_with_every_fill(Case c) {
  for (const Fill fill : fills) {
    c.fill = fill;
    expect_gmm(c);
  }
}

// ejKernel, kernels/_pallas/tpu/test_grouped_matmul.py.
TEST(ConformanceGmm, ejkernel_four_equal_groups) {
  expect_with_every_fill(make(256, 128, 64, {64, 64, 64, 64}));
}

TEST(ConformanceGmm, ejkernel_three_equal_groups) {
  expect_with_every_fill(make(384, 128, 64, {128, 128, 128}));
}

TEST(ConformanceGmm, ejkernel_a_single_group_equals_dense) {
  expect_with_every_fill(make(256, 128, 64, {256}));
}

TEST(ConformanceGmm, ejkernel_size_sweep) {
  expect_with_every_fill(make(512, 128, 64, {128, 128, 128, 128}));
  expect_with_every_fill(make(256, 128, 128, {128, 128}));
  expect_with_every_fill(make(512, 128, 128, {128, 128, 128, 128}));
  expect_with_every_fill(make(512, 256, 256, {256, 256}));
}

TEST(ConformanceGmm, ejkernel_output_dtype_is_the_preferred_one) {
  for (const DType out : {DType::f32, DType::bf16}) {
    Case c = make(256, 128, 64, {64, 64, 64, 64});
    c.options.out_dtype = out;
    expect_with_every_fill(std::move(c));
  }
}

TEST(ConformanceGmm, ejkernel_transposed_weights_tilings_and_offset_zero) {
  for (const std::int64_t tile : {128, 256}) {
    for (const bool transpose : {false, true}) {
      Case c = make(256, 128, 64, {64, 64, 64, 64});
      c.options.transpose_rhs = transpose;
      c.options.tiling = Tiling{tile, tile, tile};
      c.options.window.offset = 0;
      expect_with_every_fill(std::move(c));
    }
  }
}

TEST(ConformanceGmm, ejkernel_backward) {
  for (const Fill fill : fills) {
    Case c = make(256, 128, 64, {128, 128});
    c.fill = fill;
    expect_gradients(c);
  }
}

TEST(ConformanceGmm, ejkernel_module_operations_in_bf16) {
  for (const Sizes& sizes : {Sizes{64, 64, 64, 64}, Sizes{100, 100, 56}}) {
    for (const bool transpose : {false, true}) {
      Case c = make(256, 128, 64, sizes, DType::bf16);
      c.options.transpose_rhs = transpose;
      expect_with_every_fill(std::move(c));
    }
  }
}

TEST(ConformanceGmm, ejkernel_version_2) { expect_with_every_fill(make(128, 64, 32, {64, 64})); }

TEST(ConformanceGmm, ejkernel_xla_small_shapes_without_tiling) {
  for (const bool transpose : {false, true}) {
    Case c = make(10, 7, 4, {3, 5, 2});
    c.options.transpose_rhs = transpose;
    expect_with_every_fill(std::move(c));
  }
}

TEST(ConformanceGmm, ejkernel_existing_out_is_added_in_f16) {
  for (const Fill fill : fills) {
    Case c = make(64, 32, 16, {10, 0, 30, 24}, DType::f16);
    c.fill = fill;
    c.options.out_dtype = DType::f16;
    const Tensor existing = made(DType::f16, {64, 16}, FillRole::existing, fill, 1, 9);
    c.options.existing_out = &existing;
    expect_gmm(c);
    expect_gradients(c);
  }
}

TEST(ConformanceGmm, seed_example_of_300_rows) {
  expect_with_every_fill(make(300, 64, 32, {100, 150, 50}));
}

TEST(ConformanceGmm, ejkernel_fewer_rows_than_the_tile) {
  expect_with_every_fill(make(60, 128, 128, {20, 40}));
}

// Sizes around every power of two in adjacent groups; many groups; extents that no tile divides.
TEST(ConformanceGmm, functional_corner_sizes) {
  const Sizes corners{0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 0};
  const std::int64_t rows = std::accumulate(corners.begin(), corners.end(), std::int64_t{0});
  Case c = make(rows + 3, 72, 136, corners, DType::bf16);
  c.options.tiling = Tiling{64, 32, 128};
  expect_with_every_fill(c);
  Sizes small(17);
  std::iota(small.begin(), small.end(), std::int64_t{1});
  expect_with_every_fill(make(153, 8, 8, small));
  Sizes many(1024, 0);
  for (std::size_t g = 0; g < many.size(); g += 3) many[g] = static_cast<std::int64_t>(g % 4);
  c = make(600, 8, 24, many);
  c.options.tiling = Tiling{16, 8, 8};
  expect_with_every_fill(c);
}

// JAX, tests/pallas/tpu_gmm_test.py: sizes are differences of sorted numbers drawn with
// replacement.
Sizes random_sizes(std::int64_t m, std::int64_t groups, SplitMix& random) {
  Sizes cuts{0, m};
  for (std::int64_t g = 1; g < groups; ++g) {
    cuts.push_back(static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(m + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  std::adjacent_difference(cuts.begin(), cuts.end(), cuts.begin());
  cuts.erase(cuts.begin());
  return cuts;
}

// Uniform in [-1, 1], rounded through bf16 whatever the type.
Tensor through_bf16(DType dtype, const Shape& shape, std::uint64_t seed) {
  Tensor rounded(DType::bf16, shape), result(dtype, shape);
  SplitMix random(seed);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    rounded.set(i, 2 * random.unit() - 1);
    result.set(i, rounded.at(i));
  }
  return result;
}

struct JaxShape {
  std::int64_t m, k, n, groups;
};

class JaxGmm : public testing::TestWithParam<JaxShape> {};

TEST_P(JaxGmm, every_dtype_of_lhs_rhs_and_out) {
  const auto [m, k, n, groups] = GetParam();
  SplitMix random(static_cast<std::uint64_t>(m + k + n + groups));
  for (int types = 0; types < 8; ++types) {
    const auto pick = [&](int bit) { return (types >> bit & 1) != 0 ? DType::bf16 : DType::f32; };
    const Sizes sizes = random_sizes(m, groups, random);
    GroupedMatmulOptions options = on_interpreter();
    options.out_dtype = pick(2);
    options.transpose_rhs = random.next() % 2 == 1;
    const Shape weights = options.transpose_rhs ? Shape{groups, n, k} : Shape{groups, k, n};
    const Tensor lhs = through_bf16(pick(0), {m, k}, random.next());
    const Tensor rhs = through_bf16(pick(1), weights, random.next());
    expect_gmm(lhs, rhs, sizes_tensor(sizes), options, Fill::uniform);
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, JaxGmm,
                         testing::Values(JaxShape{128, 128, 128, 1}, JaxShape{128, 128, 128, 11},
                                         JaxShape{512, 2048, 256, 5}, JaxShape{128, 8, 16, 3},
                                         JaxShape{128, 8, 16, 32}));

TEST(ConformanceGmm, jax_gradients) {
  SplitMix random(5);
  for (const JaxShape& s :
       {JaxShape{128, 128, 128, 7}, JaxShape{128, 8, 16, 32}, JaxShape{256, 300, 96, 4}}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      Case c = make(s.m, s.k, s.n, random_sizes(s.m, s.groups, random), dtype);
      c.fill = Fill::normal;
      c.options.transpose_rhs = random.next() % 2 == 1;
      expect_gradients(c);
    }
  }
}

// The same, sharded: every shard runs some of the groups and hands its result on; with a zero start
// both modes of an existing result give the whole.
TEST(ConformanceGmm, jax_shards_of_groups_give_the_whole) {
  const std::int64_t m = 128, k = 24, n = 40, groups = 6;
  SplitMix random(11);
  const Sizes sizes = random_sizes(m, groups, random);
  Case whole = make(m, k, n, sizes);
  const Tensor lhs = whole.lhs_tensor(), rhs = whole.rhs_tensor(), sizes_i32 = sizes_tensor(sizes);
  const Tensor want = expect_gmm(lhs, rhs, sizes_i32, whole.options, Fill::integers);
  const Tensor cotangent = made(DType::f32, {m, n}, FillRole::existing, Fill::integers, 1, 3);
  const auto want_gradients = grouped_matmul_vjp(cotangent, lhs, rhs, sizes_i32, whole.options);
  ASSERT_TRUE(want_gradients);

  for (const ExistingOut mode : {ExistingOut::Overwrite, ExistingOut::Accumulate}) {
    for (const std::int64_t shard : {1, 2, 3}) {
      Tensor out(DType::f32, {m, n}), dlhs(DType::f32, {m, k}), drhs(DType::f32, {groups, k, n});
      for (std::int64_t first = 0; first < groups; first += shard) {
        Tensor weights(DType::f32, {shard, k, n});
        for (std::int64_t i = 0; i < weights.elements(); ++i)
          weights.set(i, rhs.at(first * k * n + i));
        GroupedMatmulOptions options = on_interpreter();
        options.window.offset = first;
        const auto gradients = grouped_matmul_vjp(cotangent, lhs, weights, sizes_i32, options);
        ASSERT_TRUE(gradients) << grouped::text(gradients.diags());
        for (std::int64_t i = 0; i < dlhs.elements(); ++i)
          dlhs.set(i, dlhs.at(i) + gradients->lhs.at(i));
        for (std::int64_t i = 0; i < weights.elements(); ++i)
          drhs.set(first * k * n + i, gradients->rhs.at(i));
        const Tensor before = out.clone();
        options.existing_out = &before;
        options.existing_mode = mode;
        out = expect_gmm(lhs, weights, sizes_i32, options, Fill::integers);
      }
      for (std::int64_t i = 0; i < out.elements(); ++i) ASSERT_EQ(out.at(i), want.at(i));
      for (std::int64_t i = 0; i < dlhs.elements(); ++i)
        ASSERT_EQ(dlhs.at(i), want_gradients->lhs.at(i));
      for (std::int64_t i = 0; i < drhs.elements(); ++i)
        ASSERT_EQ(drhs.at(i), want_gradients->rhs.at(i));
    }
  }
}

// JAX, tests/lax_test.py; all-ones sizes leave rows beyond their sum.
TEST(ConformanceGmm, lax_small_shapes) {
  SplitMix random(3);
  for (const JaxShape& s : {JaxShape{64, 4, 3, 5}, JaxShape{64, 9, 8, 3}, JaxShape{5, 4, 3, 1},
                            JaxShape{5, 4, 3, 2}, JaxShape{9, 4, 3, 1}, JaxShape{10, 9, 8, 2}}) {
    expect_with_every_fill(make(s.m, s.k, s.n, random_sizes(s.m, s.groups, random)));
    const Tensor out =
        expect_gmm(make(s.m, s.k, s.n, Sizes(static_cast<std::size_t>(s.groups), 1)));
    for (std::int64_t i = s.groups * s.n; i < out.elements(); ++i) ASSERT_EQ(out.at(i), 0);
  }
}

TEST(ConformanceGmm, int8_and_float16_operands) {
  for (const DType dtype : {DType::i8, DType::f16}) {
    for (const DType out : {DType::f32, DType::bf16, DType::f16}) {
      Case c = make(150, 70, 50, {40, 0, 77, 20}, dtype);
      c.options.out_dtype = out;
      c.options.tiling = Tiling{32, 16, 64};
      expect_with_every_fill(std::move(c));
    }
  }
  Case c = make(150, 70, 50, {40, 0, 77, 20}, DType::i8);
  c.options.out_dtype = DType::i32;
  expect_with_every_fill(c);
  c.fill = Fill::uniform;
  expect_gmm(c);
}

// Neither k nor n is a multiple of the tile: what lies beyond an operand's edge is NaN, and so are
// the other groups' weights, the other groups' rows and the rows beyond the sum.
TEST(ConformanceGmm, nan_beyond_the_edges_reaches_no_result) {
  const std::int64_t m = 40, k = 13, n = 11, groups = 3;
  const Sizes sizes{9, 14, 7};
  for (const bool transpose : {false, true}) {
    for (std::int64_t clean = 0; clean < groups; ++clean) {
      Case c = make(m, k, n, sizes);
      c.options.transpose_rhs = transpose;
      c.options.tiling = Tiling{8, 8, 8};
      Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor();
      const std::int64_t begin =
          std::accumulate(sizes.begin(), sizes.begin() + clean, std::int64_t{0});
      const std::int64_t end = begin + sizes[static_cast<std::size_t>(clean)];
      const double nan = std::numeric_limits<double>::quiet_NaN();
      for (std::int64_t i = 0; i < lhs.elements(); ++i) {
        if (i / k < begin || i / k >= end) lhs.set(i, nan);
      }
      for (std::int64_t i = 0; i < rhs.elements(); ++i) {
        if (i / (k * n) != clean) rhs.set(i, nan);
      }
      const Tensor out = expect_gmm(lhs, rhs, sizes_tensor(sizes), c.options, Fill::integers);
      for (std::int64_t i = 0; i < out.elements(); ++i) {
        const std::int64_t row = i / n;
        const bool other_group = row < 30 && (row < begin || row >= end);
        ASSERT_EQ(std::isnan(out.at(i)), other_group) << "row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace tessera
