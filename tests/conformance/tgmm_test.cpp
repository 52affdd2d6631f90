// The transposed grouped matmul on the interpreter: its published cases and the corners where
// others have failed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::Case;
using grouped::expect_tgmm;
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

TEST(ConformanceTgmm, equal_uneven_and_unaligned_groups) {
  for (const Fill fill : fills) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (const Sizes& sizes :
           {Sizes{128, 128}, Sizes{100, 100, 56}, Sizes{1, 2, 3, 250}, Sizes{0, 256, 0}}) {
        Case c = make(256, 70, 50, sizes, dtype);
        c.fill = fill;
        c.options.tiling = Tiling{64, 32, 48};
        expect_tgmm(c);
      }
    }
  }
}

TEST(ConformanceTgmm, int8_operands_are_exact) {
  Case c = make(100, 20, 30, {40, 0, 60}, DType::i8);
  c.fill = Fill::uniform;
  c.options.out_dtype = DType::i32;
  expect_tgmm(c);
}

TEST(ConformanceTgmm, all_groups_empty_give_zeros) {
  for (const std::int64_t m : {0, 7, 128}) {
    const Tensor out = expect_tgmm(make(m, 9, 5, {0, 0, 0}));
    ASSERT_EQ(out.elements(), 3 * 9 * 5);
    for (std::int64_t i = 0; i < out.elements(); ++i) ASSERT_EQ(out.at(i), 0) << "m " << m;
  }
}

TEST(ConformanceTgmm, an_empty_group_at_either_end_gives_zeros) {
  const Tensor out = expect_tgmm(make(30, 9, 5, {0, 30, 0}));
  for (std::int64_t i = 0; i < 45; ++i) {
    ASSERT_EQ(out.at(i), 0);
    ASSERT_EQ(out.at(90 + i), 0);
  }
}

TEST(ConformanceTgmm, nan_in_other_rows_reaches_no_block) {
  const Sizes sizes{9, 0, 14};
  Case c = make(30, 13, 11, sizes);
  Tensor lhs = made(DType::f32, {30, 13}, FillRole::lhs, Fill::integers, 30, 1);
  Tensor rhs = made(DType::f32, {30, 11}, FillRole::rhs, Fill::integers, 30, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t row = 9; row < 30; ++row) {
    for (std::int64_t i = 0; i < 13; ++i) lhs.set(row * 13 + i, nan);
    for (std::int64_t i = 0; i < 11; ++i) rhs.set(row * 11 + i, nan);
  }
  c.options.tiling = Tiling{8, 8, 8};
  c.options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  const Tensor out = expect_tgmm(lhs, rhs, sizes_tensor(sizes), c.options, Fill::integers);
  for (std::int64_t i = 0; i < out.elements(); ++i)
    ASSERT_EQ(std::isnan(out.at(i)), i / (13 * 11) == 2);
}

TEST(ConformanceTgmm, rows_beyond_the_sum_do_not_count) {
  for (const Fill fill : fills) {
    Case c = make(100, 20, 30, {10, 25});
    c.fill = fill;
    c.options.tiling = Tiling{16, 16, 16};
    expect_tgmm(c);
  }
}

TEST(ConformanceTgmm, shards_of_groups_give_the_whole) {
  Case c = make(90, 12, 20, {10, 30, 0, 50});
  const Tensor whole = expect_tgmm(c);
  for (std::int64_t first = 0; first < 4; first += 2) {
    c.options.window.offset = first;
    c.options.num_actual_groups = 2;
    const Tensor shard = expect_tgmm(c);
    for (std::int64_t i = 0; i < shard.elements(); ++i) {
      ASSERT_EQ(shard.at(i), whole.at(first * 12 * 20 + i));
    }
  }
}

TEST(ConformanceTgmm, existing_blocks_are_added_or_replaced) {
  for (const Fill fill : fills) {
    for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
      Case c = make(60, 12, 20, {10, 0, 50}, DType::bf16);
      c.fill = fill;
      const Tensor existing = made(DType::f32, {3, 12, 20}, FillRole::existing, fill, 1, 7);
      c.options.existing_out = &existing;
      c.options.existing_mode = mode;
      expect_tgmm(c);
    }
  }
}

TEST(ConformanceTgmm, a_logical_lhs_is_the_stored_one_transposed) {
  const Sizes sizes{10, 21, 5};
  const Tensor stored = made(DType::bf16, {36, 70}, FillRole::lhs, Fill::integers, 36, 1);
  const Tensor rhs = made(DType::bf16, {36, 9}, FillRole::rhs, Fill::integers, 36, 2);
  Tensor logical(DType::bf16, {70, 36});
  for (std::int64_t i = 0; i < stored.elements(); ++i)
    logical.set(i % 70 * 36 + i / 70, stored.at(i));
  GroupedMatmulOptions options = on_interpreter();
  const Tensor a = expect_tgmm(logical, rhs, sizes_tensor(sizes), options, Fill::integers);
  options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  const Tensor b = expect_tgmm(stored, rhs, sizes_tensor(sizes), options, Fill::integers);
  for (std::int64_t i = 0; i < a.elements(); ++i) ASSERT_EQ(a.at(i), b.at(i));
}

}  // namespace
}  // namespace tessera
