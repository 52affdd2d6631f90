#include "kernels/oracle/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {
namespace {

using Rows = std::vector<std::int64_t>;

Tensor made(DType dtype, Shape shape, std::uint64_t seed, Fill kind = Fill::integers) {
  Tensor tensor(dtype, std::move(shape));
  fill(tensor, kind, FillRole::lhs, 64, seed);
  return tensor;
}

struct Operands {
  Tensor lhs, rhs, existing;
  GroupedProblem problem;
};

// Returns one element of the product, by its definition.
double gmm_element(const GroupedProblem& p, std::int64_t row, std::int64_t column) {
  const std::int64_t k = p.lhs->dim(1), n = p.rhs->dim(p.transpose_rhs ? 1 : 2);
  std::int64_t begin = 0, owner = -1;
  for (std::int64_t g = 0; g < static_cast<std::int64_t>(p.group_sizes.size()); ++g) {
    const bool local = g >= p.group_offset && g < p.group_offset + p.local_groups;
    if (p.local_rows && !local) continue;
    const std::int64_t end = begin + p.group_sizes[static_cast<std::size_t>(g)];
    if (local && row >= begin && row < end) owner = g - p.group_offset;
    begin = end;
  }
  const double old = p.existing ? p.existing->at(row * n + column) : 0;
  if (owner < 0) return old;
  double sum = p.accumulate ? old : 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const std::int64_t b =
        p.transpose_rhs ? (owner * n + column) * k + i : (owner * k + i) * n + column;
    sum += p.lhs->at(row * k + i) * p.rhs->at(b);
  }
  return sum;
}

double tgmm_element(const GroupedProblem& p, std::int64_t g, std::int64_t i, std::int64_t j) {
  const std::int64_t m = p.rhs->dim(0), n = p.rhs->dim(1), k = p.lhs->dim(p.transpose_lhs ? 0 : 1);
  const auto sizes = p.group_sizes.begin();
  const std::int64_t begin = std::accumulate(sizes + (p.local_rows ? p.group_offset : 0),
                                             sizes + p.group_offset + g, std::int64_t{0});
  double sum = p.existing && p.accumulate ? p.existing->at((g * k + i) * n + j) : 0;
  for (std::int64_t r = begin; r < begin + sizes[p.group_offset + g]; ++r) {
    sum += p.lhs->at(p.transpose_lhs ? i * m + r : r * k + i) * p.rhs->at(r * n + j);
  }
  return sum;
}

void expect_gmm(const GroupedProblem& p, const Tensor& got) {
  const std::int64_t n = got.dim(1);
  // Every 11th element of a large result covers each row, column and block.
  for (std::int64_t i = 0; i<got.elements(); i += got.elements()> 10000 ? 11 : 1) {
    ASSERT_EQ(got.at(i), gmm_element(p, i / n, i % n)) << "row " << i / n << " column " << i % n;
  }
}

void expect_tgmm(const GroupedProblem& p, const Tensor& got) {
  const std::int64_t k = got.dim(1), n = got.dim(2);
  for (std::int64_t i = 0; i < got.elements(); i += 3) {
    ASSERT_EQ(got.at(i), tgmm_element(p, i / n / k, i / n % k, i % n)) << "element " << i;
  }
}

TEST(Reference, gmm_equals_its_definition) {
  // 300 rows and columns: more than one block of the reference in each direction.
  const Tensor lhs = made(DType::f32, {300, 270}, 1), existing = made(DType::f32, {300, 290}, 2);
  const Tensor plain = made(DType::f32, {3, 270, 290}, 3),
               transposed = made(DType::f32, {3, 290, 270}, 4);
  for (const bool transpose : {false, true}) {
    for (const Tensor* old : {static_cast<const Tensor*>(nullptr), &existing}) {
      for (const bool accumulate : {true, false}) {
        GroupedProblem p{&lhs,
                         transpose ? &transposed : &plain,
                         {100, 0, 150},
                         0,
                         3,
                         false,
                         false,
                         transpose,
                         old,
                         accumulate};
        expect_gmm(p, reference_gmm(p, DType::f32));
      }
    }
  }
}

TEST(Reference, gmm_of_a_window_of_groups) {
  const Tensor lhs = made(DType::bf16, {60, 7}, 1), rhs = made(DType::f16, {2, 7, 5}, 2);
  const Tensor existing = made(DType::f32, {60, 5}, 3);
  for (const bool local : {false, true}) {
    for (const Tensor* old : {static_cast<const Tensor*>(nullptr), &existing}) {
      GroupedProblem p{&lhs, &rhs, {10, 20, 5, 15}, 1, 2, local, false, false, old, true};
      expect_gmm(p, reference_gmm(p, DType::f32));
      EXPECT_EQ(processed_rows(p), local ? (Rows{0, 20, 25}) : (Rows{10, 30, 35}));
    }
  }
}

TEST(Reference, tgmm_equals_its_definition) {
  const Tensor stored = made(DType::f32, {600, 30}, 1), logical = made(DType::f32, {30, 600}, 2);
  const Tensor rhs = made(DType::f32, {600, 270}, 3), existing = made(DType::f32, {3, 30, 270}, 4);
  for (const bool transpose : {false, true}) {
    for (const Tensor* old : {static_cast<const Tensor*>(nullptr), &existing}) {
      GroupedProblem p{transpose ? &logical : &stored,
                       &rhs,
                       {5, 300, 0, 280},
                       1,
                       3,
                       false,
                       transpose,
                       false,
                       old,
                       true};
      expect_tgmm(p, reference_tgmm(p, DType::f32));
      p.local_rows = true;
      expect_tgmm(p, reference_tgmm(p, DType::f32));
    }
  }
}

TEST(Reference, a_dense_matmul_is_one_group) {
  const Tensor lhs = made(DType::i8, {9, 4}, 1), rhs = made(DType::i8, {1, 4, 3}, 2);
  const GroupedProblem p{&lhs, &rhs, {9}, 0, 1, false, false, false, nullptr, true};
  expect_gmm(p, reference_gmm(p, DType::i32));
}

TEST(Reference, blocks_carry_what_a_bound_needs) {
  const Tensor lhs = made(DType::f32, {4, 300}, 1, Fill::normal),
               rhs = made(DType::f32, {2, 300, 3}, 2, Fill::normal);
  const Tensor existing = made(DType::f32, {4, 3}, 3, Fill::normal);
  const GroupedProblem p{&lhs, &rhs, {1, 2}, 0, 2, false, false, false, &existing, true};
  const Rows rows{0, 2, 3};
  Rows seen;
  reference_gmm(p, rows, Magnitude::wanted, [&](const ReferenceBlock& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const std::int64_t row = block.rows[r];
      seen.push_back(row);
      EXPECT_EQ(block.terms, row == 3 ? 0 : 300);
      EXPECT_TRUE(block.added);
      for (std::int64_t c = 0; c < 3; ++c) {
        double magnitude = std::abs(existing.at(row * 3 + c)), largest_a = 0, largest_b = 0;
        for (std::int64_t i = 0; i < 300 && row != 3; ++i) {
          const double a = std::abs(lhs.at(row * 300 + i)),
                       b = std::abs(rhs.at((row / 2 * 300 + i) * 3 + c));
          magnitude += a * b;
          largest_a = std::max(largest_a, a);
          largest_b = std::max(largest_b, b);
        }
        // Two sums of 301 terms, none negative, each within 301 units of rounding.
        EXPECT_NEAR(block.magnitude[static_cast<std::int64_t>(r) * 3 + c], magnitude,
                    2 * 301 * 0x1p-53 * magnitude);
        EXPECT_EQ(block.row_largest[r], largest_a);
        EXPECT_EQ(block.column_largest[c], largest_b);
      }
    }
  });
  EXPECT_EQ(seen, rows);
}

TEST(CheckedRows, a_sample_has_every_edge_and_256_more) {
  const Rows edges{0, 1000, 1000, 5000};
  const Rows rows = checked_rows(10000, edges, Check::sample, 1);
  for (const std::int64_t row : {0, 999, 1000, 4999, 5000, 9999}) {
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row;
  }
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_GT(rows.size(), 240u);
  EXPECT_LE(rows.size(), 256u + 6u);
  EXPECT_NE(rows, checked_rows(10000, edges, Check::sample, 2));
  EXPECT_EQ(checked_rows(10000, edges, Check::full, 1).size(), 10000u);
  EXPECT_EQ(checked_rows(10000, edges, Check::none, 1).size(), 0u);
  EXPECT_EQ(default_check(1e11), Check::full);
  EXPECT_EQ(default_check(1.1e11), Check::sample);
}

}  // namespace
}  // namespace tessera
