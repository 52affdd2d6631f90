// One test for each requirement of grouped matmul, G1 to G25, with exact error messages.
#include "kernels/grouped_matmul/grouped_matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "devices/devices.h"
#include "devices/profiles/profile.h"
#include "kernels/grouped_matmul/cost.h"
#include "kernels/grouped_matmul/group_metadata.h"
#include "kernels/programs/kernels.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::Case;
using grouped::expect_gmm;
using grouped::expect_gradients;
using grouped::expect_tgmm;
using grouped::made;
using grouped::on_interpreter;
using grouped::Sizes;
using grouped::sizes_tensor;

// 20 rows in groups of 8, 0 and 7. The last five rows belong to no group.
Case small() {
  Case c;
  c.m = 20;
  c.k = 12;
  c.n = 10;
  c.sizes = {8, 0, 7};
  c.options.tiling = Tiling{8, 8, 8};
  return c;
}

struct Operands {
  Tensor lhs{DType::f32, {20, 12}};
  Tensor rhs{DType::f32, {3, 12, 10}};
  Tensor sizes = sizes_tensor({8, 0, 7});
  GroupedMatmulOptions options = on_interpreter();
};

struct Refusal {
  ErrorCode code;
  std::string message;
  bool operator==(const Refusal&) const = default;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << static_cast<int>(refusal.code) << ": " << refusal.message;
}

template <typename T>
Refusal refusal(const Expected<T>& result) {
  if (result) return {ErrorCode::runtime, "no error"};
  EXPECT_EQ(result.diags().size(), 1u);
  return {result.diags()[0].code, result.diags()[0].message};
}

Refusal gmm(const Operands& o) { return refusal(grouped_matmul(o.lhs, o.rhs, o.sizes, o.options)); }
Refusal tgmm(const Operands& o) {
  return refusal(transposed_grouped_matmul(o.lhs, o.rhs, o.sizes, o.options));
}
Refusal invalid(std::string text) { return {ErrorCode::invalid_value, std::move(text)}; }
Refusal unsupported(std::string text) { return {ErrorCode::unsupported, std::move(text)}; }

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (std::int64_t i = 0; i < a.elements(); ++i) ASSERT_EQ(a.at(i), b.at(i)) << "element " << i;
}

TEST(GroupedMatmul, G1_each_group_has_its_own_weights) {
  for (const Fill fill : {Fill::integers, Fill::normal, Fill::uniform}) {
    Case c = small();
    c.fill = fill;
    expect_gmm(c);
  }
  Operands o;
  o.rhs = Tensor(DType::f32, {3, 11, 10});
  EXPECT_EQ(gmm(o), invalid("lhs has k = 12 but rhs has k = 11"));
  o.rhs = Tensor(DType::f32, {4, 12, 10});
  EXPECT_EQ(gmm(o),
            invalid("group_offset 0 and 4 of rhs's groups exceed the 3 groups of group_sizes"));
}

TEST(GroupedMatmul, G2_lhs_is_a_matrix) {
  Operands o;
  o.lhs = Tensor(DType::f32, {1, 20, 12});
  EXPECT_EQ(gmm(o), invalid("Expected 2-tensor for 'lhs' but got 3-tensor."));
  EXPECT_EQ(tgmm(o), invalid("Expected 2-tensor for 'lhs' but got 3-tensor."));
}

TEST(GroupedMatmul, G3_rhs_has_a_matrix_for_each_group) {
  Operands o;
  EXPECT_EQ(tgmm(o), invalid("Expected 2-tensor for 'rhs' but got 3-tensor."));
  o.rhs = Tensor(DType::f32, {12, 10});
  EXPECT_EQ(gmm(o), invalid("Expected 3-tensor for 'rhs' but got 2-tensor."));
  // The width of a transposed rhs is its second dimension.
  Case c = small();
  c.options.transpose_rhs = true;
  EXPECT_EQ(expect_gmm(c).shape(), (Shape{20, 10}));
}

TEST(GroupedMatmul, G4_group_sizes_are_i32_u32_or_i64) {
  const Case c = small();
  const Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor();
  const Tensor want = expect_gmm(c);
  for (const DType dtype : {DType::u32, DType::i64}) {
    expect_same(expect_gmm(lhs, rhs, sizes_tensor(c.sizes, dtype), c.options, c.fill), want);
  }
  Operands o;
  o.sizes = sizes_tensor({8, 0, 7}, DType::f32);
  EXPECT_EQ(gmm(o), invalid("Expected 32-bit integer 'group_sizes' but got f32."));
  o.sizes = Tensor(DType::i32, {3, 1});
  EXPECT_EQ(gmm(o), invalid("Expected 1-tensor for 'group_sizes' but got 2-tensor."));
}

TEST(GroupedMatmul, G5_sizes_sum_to_at_most_m) {
  Operands o;
  o.sizes = sizes_tensor({8, -1, 7});
  EXPECT_EQ(gmm(o), invalid("group_sizes[1] = -1 is negative"));
  o.sizes = sizes_tensor({8, 0, 4294967295}, DType::u32);
  EXPECT_EQ(gmm(o), invalid("the group sizes up to group 2 sum to more than m = 20"));
  o.sizes = sizes_tensor({8, 6, 7});
  EXPECT_EQ(gmm(o), invalid("the group sizes up to group 2 sum to more than m = 20"));
  o.sizes = sizes_tensor({8, 0, 7});
  o.options.strict_sum = true;
  EXPECT_EQ(gmm(o), invalid("the group sizes sum to 15, not to m = 20"));
  Case c = small();
  c.options.strict_sum = true;
  c.sizes = {8, 5, 7};
  expect_gmm(c);
}

TEST(GroupedMatmul, G6_the_result_has_the_preferred_type) {
  EXPECT_EQ(GroupedMatmulOptions{}.out_dtype, DType::f32);
  for (const DType out : {DType::f32, DType::bf16, DType::f16}) {
    Case c = small();
    c.fill = Fill::normal;
    c.options.out_dtype = out;
    EXPECT_EQ(expect_gmm(c).dtype(), out);
  }
  Operands o;
  o.options.out_dtype = DType::e4m3;
  EXPECT_EQ(gmm(o), unsupported("gmm stores f32, bf16, f16 or i32, not e4m3"));
  o.options.out_dtype = DType::i32;
  EXPECT_EQ(gmm(o), unsupported("an i32 result needs i8 operands, got f32 and f32"));
}

TEST(GroupedMatmul, G7_sums_are_kept_in_f32_and_i32) {
  // 4096 ones: a running sum in bf16 would stop at 256, one in i8 at 127.
  for (const DType dtype : {DType::bf16, DType::i8}) {
    Tensor lhs(dtype, {1, 4096}), rhs(dtype, {1, 4096, 1});
    for (std::int64_t i = 0; i < 4096; ++i) {
      lhs.set(i, 1);
      rhs.set(i, 1);
    }
    GroupedMatmulOptions options = on_interpreter();
    options.out_dtype = DType::bf16;
    EXPECT_EQ(expect_gmm(lhs, rhs, sizes_tensor({1}), options, Fill::integers).at(0), 4096);
  }
}

TEST(GroupedMatmul, G8_a_tiling_is_given_looked_up_or_the_profiles) {
  const Case c = small();
  const Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor(), sizes = sizes_tensor(c.sizes);
  GroupedMatmulOptions options = on_interpreter();
  auto run = run_grouped_matmul(lhs, rhs, sizes, options);
  ASSERT_TRUE(run) << grouped::text(run.diags());
  EXPECT_EQ(run->tiling, (Tiling{128, 128, 128}));
  options.tiling = LutFn([](std::int64_t m, std::int64_t k, std::int64_t n) {
    return Tiling{m, k, n};
  });
  run = run_grouped_matmul(lhs, rhs, sizes, options);
  ASSERT_TRUE(run) << grouped::text(run.diags());
  EXPECT_EQ(run->tiling, (Tiling{20, 12, 10}));
  expect_same(run->out, expect_gmm(c));

  Operands o;
  o.options.tiling = LutFn([](std::int64_t, std::int64_t, std::int64_t) { return std::nullopt; });
  EXPECT_EQ(gmm(o), invalid("No tuned tiling found for (m, k, n) = (20, 12, 10)"));
  o.options.tiling = LutFn();
  EXPECT_EQ(gmm(o), invalid("No tuned tiling found for (m, k, n) = (20, 12, 10)"));
  o.options.tiling = Tiling{8, 0, 8};
  EXPECT_EQ(gmm(o), invalid("tile sizes must be positive, got (tm, tk, tn) = (8, 0, 8)"));
}

TEST(GroupedMatmul, G9_rows_need_not_be_a_multiple_of_the_tile) {
  for (const std::int64_t tile : {1, 3, 7, 16, 64}) {
    Case c = small();
    c.options.tiling = Tiling{tile, 8, 8};
    expect_gmm(c);
  }
  EXPECT_EQ(refusal(make_group_metadata(Sizes{8, 0, 7}, 20, 8, 0, 3, EmptyGroups::skipped)),
            invalid("20 must be divisible by x-dimension tile size (8)."));
}

TEST(GroupedMatmul, G10_rows_of_no_group_are_zero_or_the_existing_ones) {
  Case c = small();
  const Tensor zeros = expect_gmm(c);
  const Tensor existing = made(DType::f32, {20, 10}, FillRole::existing, Fill::normal, 1, 5);
  c.options.existing_out = &existing;
  c.fill = Fill::normal;
  const Tensor kept = expect_gmm(c);
  for (std::int64_t i = 150; i < 200; ++i) {
    EXPECT_EQ(zeros.at(i), 0);
    EXPECT_EQ(kept.at(i), existing.at(i));
  }
}

TEST(GroupedMatmul, G11_a_window_of_groups_has_global_or_local_rows) {
  Case c = small();
  c.sizes = {3, 5, 0, 6, 2};
  c.local_groups = 3;
  c.options.window = {1, GroupWindow::Global};
  expect_gmm(c);
  c.options.window.rows = GroupWindow::Local;
  expect_gmm(c);
  c.m = 11;  // exactly the rows of groups 1 to 3: 16 would be needed for all
  expect_gmm(c);

  Tensor offset(DType::i32, {});
  offset.set(0, 2);
  EXPECT_EQ(group_window(offset)->offset, 2);
  EXPECT_EQ(group_window(Tensor(DType::i64, {1}), GroupWindow::Local)->rows, GroupWindow::Local);
  EXPECT_EQ(refusal(group_window(Tensor(DType::i32, {2}))),
            invalid("group_offset must be a ()-shaped array. Got: (2,)."));
  Operands o;
  o.options.window.offset = -1;
  EXPECT_EQ(gmm(o), invalid("group_offset must be at least 0, got -1"));
  o.options.window.offset = 1;
  EXPECT_EQ(gmm(o),
            invalid("group_offset 1 and 3 of rhs's groups exceed the 3 groups of group_sizes"));
  o.options.window.offset = 3;
  EXPECT_EQ(gmm(o), invalid("group_offset 3 is not among the 3 groups of group_sizes"));
}

TEST(GroupedMatmul, G12_an_existing_result_is_added_to_or_replaced) {
  EXPECT_EQ(GroupedMatmulOptions{}.existing_mode, ExistingOut::Accumulate);
  for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const Fill fill : {Fill::integers, Fill::normal}) {
        Case c = small();
        c.fill = fill;
        c.options.out_dtype = dtype;
        const Tensor existing = made(dtype, {20, 10}, FillRole::existing, fill, 1, 5);
        c.options.existing_out = &existing;
        c.options.existing_mode = mode;
        expect_gmm(c);
      }
    }
  }
  Operands o;
  const Tensor other_type(DType::bf16, {20, 10}), other_shape(DType::f32, {20, 11});
  o.options.existing_out = &other_type;
  EXPECT_EQ(gmm(o), invalid("Existing output dtype must match preferred_element_type."));
  o.options.existing_out = &other_shape;
  EXPECT_EQ(gmm(o), invalid("existing_out has shape (20, 11), the result has (20, 10)"));
}

TEST(GroupedMatmul, G13_transposed_weights_give_the_same_result) {
  Case c = small();
  const Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor(), sizes = sizes_tensor(c.sizes);
  Tensor turned(DType::f32, {3, 10, 12});
  for (std::int64_t i = 0; i < rhs.elements(); ++i) {
    turned.set((i / 120) * 120 + (i % 10) * 12 + i / 10 % 12, rhs.at(i));
  }
  const Tensor want = expect_gmm(lhs, rhs, sizes, c.options, c.fill);
  c.options.transpose_rhs = true;
  expect_same(expect_gmm(lhs, turned, sizes, c.options, c.fill), want);
  Operands o;
  o.options.transpose_rhs = true;
  EXPECT_EQ(gmm(o), invalid("lhs has k = 12 but rhs has k = 10"));
}

TEST(GroupedMatmul, G14_the_interpreter_runs_it_step_by_step) {
  const Case c = small();
  const auto run =
      run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), c.options);
  ASSERT_TRUE(run) << grouped::text(run.diags());
  EXPECT_EQ(run->device, "interpreter");
  EXPECT_TRUE(run->report.findings.empty());
  EXPECT_NE(run->report.simulated, nullptr);
  GroupedMatmulOptions options;
  const auto best =
      run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), options);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->device, default_device().name());
  options.device = "reference";
  const auto reference =
      run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), options);
  ASSERT_TRUE(reference);
  expect_same(reference->out, run->out);
}

TEST(GroupedMatmul, G15_every_precision_is_honoured_and_said) {
  Case c = small();
  c.fill = Fill::normal;
  for (const Precision precision : {Precision::Default, Precision::High, Precision::Highest}) {
    c.options.precision = precision;
    expect_gmm(c);
    const auto run =
        run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), c.options);
    ASSERT_TRUE(run);
    const bool said =
        !run->notes.empty() && run->notes[0] == "the interpreter computes every precision in f32";
    EXPECT_EQ(said, precision != Precision::Default);
  }
}

TEST(GroupedMatmul, G16_empty_groups_are_skipped_by_gmm_and_zero_in_tgmm) {
  for (const Sizes& sizes : {Sizes{0, 0, 0}, Sizes{0, 15, 0}, Sizes{7, 0, 8}, Sizes{0, 0, 20}}) {
    Case c = small();
    c.sizes = sizes;
    expect_gmm(c);
    const Tensor blocks = expect_tgmm(c);
    for (std::int64_t i = 0; i < blocks.elements(); ++i) {
      if (sizes[static_cast<std::size_t>(i / 120)] == 0) {
        ASSERT_EQ(blocks.at(i), 0);
      }
    }
  }
}

TEST(GroupedMatmul, G17_group_metadata_is_there_as_a_function) {
  const auto metadata = make_group_metadata(Sizes{8, 0, 7}, 16, 8, 0, 3, EmptyGroups::visited);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->group_ids, (Sizes{0, 1, 2, 2}));
  EXPECT_EQ(metadata->m_tile_ids, (Sizes{0, 1, 1, 1}));
  EXPECT_EQ(metadata->num_tiles, 3);
}

TEST(GroupedMatmul, G18_groups_are_counted_from_the_first_one_empty_or_not) {
  const auto metadata = make_group_metadata(Sizes{8, 0, 8, 8}, 24, 8, 1, 2, EmptyGroups::skipped);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->num_tiles, 1);
  EXPECT_EQ(metadata->group_ids[0], 2);
  EXPECT_EQ(refusal(make_group_metadata(Sizes{8, 8}, 16, 8, 1, 2, EmptyGroups::skipped)),
            invalid("groups 1 .. 3 are not among the 2 groups"));
}

TEST(GroupedMatmul, G19_tgmm_gives_a_block_for_each_group) {
  for (const Fill fill : {Fill::integers, Fill::normal}) {
    Case c = small();
    c.fill = fill;
    EXPECT_EQ(expect_tgmm(c).shape(), (Shape{3, 12, 10}));
  }
  Operands o;
  o.lhs = Tensor(DType::f32, {12, 20});
  o.rhs = Tensor(DType::f32, {19, 10});
  EXPECT_EQ(tgmm(o), invalid("lhs has m = 20 but rhs has m = 19"));
  o.rhs = Tensor(DType::f32, {20, 10});
  o.options.transpose_rhs = true;
  EXPECT_EQ(tgmm(o), invalid("transpose_rhs is for gmm; tgmm takes rhs as [m, n]"));
}

TEST(GroupedMatmul, G20_tgmm_computes_as_many_groups_as_asked) {
  Case c = small();
  c.options.window.offset = 1;
  EXPECT_EQ(expect_tgmm(c).shape(), (Shape{2, 12, 10}));
  c.options.num_actual_groups = 1;
  EXPECT_EQ(expect_tgmm(c).shape(), (Shape{1, 12, 10}));
  c.options.window.rows = GroupWindow::Local;
  EXPECT_EQ(expect_tgmm(c).shape(), (Shape{1, 12, 10}));
  Operands o;
  o.lhs = Tensor(DType::f32, {12, 20});
  o.rhs = Tensor(DType::f32, {20, 10});
  o.options.num_actual_groups = 4;
  EXPECT_EQ(
      tgmm(o),
      invalid("group_offset 0 and 4 of num_actual_groups exceed the 3 groups of group_sizes"));
  o.options.num_actual_groups = 0;
  EXPECT_EQ(tgmm(o), invalid("there must be at least one of num_actual_groups, got 0"));
  o.options.num_actual_groups = 1;
  o.rhs = Tensor(DType::f32, {3, 20, 10});
  o.lhs = Tensor(DType::f32, {20, 20});
  EXPECT_EQ(gmm(o), invalid("num_actual_groups is for tgmm; gmm runs the groups of rhs"));
}

TEST(GroupedMatmul, G21_the_buffer_count_changes_no_value) {
  for (const Fill fill : {Fill::integers, Fill::normal}) {
    Case c = small();
    c.fill = fill;
    const Tensor want = expect_gmm(c), blocks = expect_tgmm(c);
    for (const std::int64_t count : {1, 3, 4}) {
      c.options.input_buffer_count = count;
      expect_same(expect_gmm(c), want);
      expect_same(expect_tgmm(c), blocks);
    }
  }
  Operands o;
  o.options.input_buffer_count = 0;
  EXPECT_EQ(gmm(o), invalid("input_buffer_count must be at least 1, got 0"));
}

TEST(GroupedMatmul, G22_k_and_n_may_end_inside_a_tile) {
  for (const std::int64_t k : {1, 7, 8, 9, 17}) {
    for (const std::int64_t n : {1, 7, 8, 9, 17}) {
      Case c = small();
      c.k = k;
      c.n = n;
      expect_gmm(c);
      expect_tgmm(c);
      c.options.transpose_rhs = true;
      expect_gmm(c);
    }
  }
}

TEST(GroupedMatmul, G23_cost_counts_flops_and_bytes) {
  GroupedDesc desc = grouped_desc(GroupedKind::gmm, 512, 256, 384, 4);
  const Tiling tiling{128, 128, 128};
  const std::int64_t lhs = 512 * 256 * 2, rhs = 256 * 384 * 2, out = 512 * 384 * 4;
  EXPECT_EQ(gmm_cost(desc, tiling),
            (CostEstimate{2LL * 512 * 256 * 384, 0, lhs * 3 + rhs * (4 + 4 - 1) + out}));
  EXPECT_EQ(
      tgmm_cost(desc, tiling),
      (CostEstimate{2LL * 512 * 256 * 384, 0, lhs * 3 + 512 * 384 * 2 * 2 + 4 * 256 * 384 * 4}));
  desc.n = 385;  // one more column is one more tile
  EXPECT_EQ(gmm_cost(desc, tiling).bytes_accessed, lhs * 4 + 256 * 385 * 2 * 7 + 512 * 385 * 4);
}

TEST(GroupedMatmul, G24_a_tiling_is_written_as_tm_tk_tn) {
  EXPECT_EQ(to_string(Tiling{16, 32, 64}), "16,32,64");
  EXPECT_EQ(gmm_kernel_name({16, 32, 64}, false), "gmm_16x32x64");
  EXPECT_EQ(gmm_kernel_name({16, 32, 64}, true), "gmm_16x32x64_transpose_rhs");
  EXPECT_EQ(tgmm_kernel_name({16, 32, 64}), "tgmm_16x32x64");
}

TEST(GroupedMatmul, G25_gradients_of_both_operands_and_the_existing_result) {
  for (const bool transpose : {false, true}) {
    for (const GroupWindow::Rows rows : {GroupWindow::Global, GroupWindow::Local}) {
      Case c = small();
      c.sizes = {3, 5, 0, 6, 2};
      c.local_groups = 3;
      c.options.window = {1, rows};
      c.options.transpose_rhs = transpose;
      c.options.tiling = Tiling{8, 4, 16};
      c.fill = Fill::normal;
      expect_gradients(c);
      c.lhs = c.rhs = DType::bf16;
      expect_gradients(c);
    }
  }

  const Case c = small();
  const Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor(), sizes = sizes_tensor(c.sizes);
  const Tensor existing(DType::f32, {20, 10});
  const Tensor cotangent = made(DType::f32, {20, 10}, FillRole::existing, Fill::normal, 1, 4);
  GroupedMatmulOptions options = c.options;
  auto gradients = grouped_matmul_vjp(cotangent, lhs, rhs, sizes, options);
  ASSERT_TRUE(gradients);
  EXPECT_FALSE(gradients->existing_out);
  options.existing_out = &existing;
  gradients = grouped_matmul_vjp(cotangent, lhs, rhs, sizes, options);
  ASSERT_TRUE(gradients);
  expect_same(*gradients->existing_out, cotangent);
  options.existing_mode = ExistingOut::Overwrite;
  gradients = grouped_matmul_vjp(cotangent, lhs, rhs, sizes, options);
  ASSERT_TRUE(gradients);
  for (std::int64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(gradients->existing_out->at(i), i / 10 < 15 ? 0 : cotangent.at(i));
  }

  const Tensor wrong_shape(DType::f32, {20, 9}), wrong_type(DType::bf16, {20, 10});
  EXPECT_EQ(refusal(grouped_matmul_vjp(wrong_shape, lhs, rhs, sizes, options)),
            invalid("the cotangent has shape (20, 9), the result has (20, 10)"));
  EXPECT_EQ(refusal(grouped_matmul_vjp(wrong_type, lhs, rhs, sizes, options)),
            (Refusal{ErrorCode::invalid_type, "the cotangent is bf16, the result is f32"}));
}

TEST(GroupedMatmul, a_lookup_is_asked_for_each_product_of_the_gradient) {
  Case c = small();
  std::vector<Sizes> asked;
  c.options.tiling = LutFn([&](std::int64_t m, std::int64_t k, std::int64_t n) {
    asked.push_back({m, k, n});
    return Tiling{8, 8, 8};
  });
  const Tensor cotangent(DType::f32, {20, 10});
  ASSERT_TRUE(grouped_matmul_vjp(cotangent, c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes),
                                 c.options));
  EXPECT_NE(std::find(asked.begin(), asked.end(), Sizes{20, 10, 12}), asked.end());
  EXPECT_EQ(asked.back(), (Sizes{20, 12, 10}));
}

TEST(GroupedMatmul, operands_of_two_types_meet_in_one_that_holds_both) {
  const DType types[] = {DType::f32, DType::bf16, DType::f16, DType::e4m3, DType::e5m2, DType::i8};
  for (const DType lhs : types) {
    for (const DType rhs : types) {
      for (const Fill fill : {Fill::integers, Fill::normal}) {
        Case c = small();
        c.lhs = lhs;
        c.rhs = rhs;
        c.fill = fill;
        expect_gmm(c);
      }
    }
  }
  Operands o;
  o.lhs = Tensor(DType::i64, {20, 12});
  EXPECT_EQ(gmm(o), (Refusal{ErrorCode::invalid_type,
                             "gmm multiplies f32, bf16, f16, e4m3, e5m2 and i8, not i64 and f32"}));
}

TEST(GroupedMatmul, empty_extents_are_no_special_case) {
  for (const std::int64_t zero : {0, 1, 2}) {
    Case c = small();
    (zero == 0 ? c.m : zero == 1 ? c.k : c.n) = 0;
    if (zero == 0) c.sizes = {0, 0, 0};
    expect_gmm(c);
    expect_tgmm(c);
  }
}

TEST(GroupedMatmul, tiles_may_start_at_their_group) {
  for (const std::int64_t align : {1, 2, 4, 8}) {
    Case c = small();
    c.options.align = align;
    expect_gmm(c);
  }
  Operands o;
  o.options.align = 0;
  EXPECT_EQ(gmm(o), invalid("align must be at least 1, got 0"));
}

TEST(GroupedMatmul, a_device_that_is_not_there_says_why) {
  Operands o;
  const Support cuda = (*find_device("cuda"))->available();
  if (!cuda.ok) {
    o.options.device = "cuda";
    EXPECT_EQ(gmm(o), (Refusal{ErrorCode::environment, "device cuda: " + cuda.reason}));
  }
  o.options.device = "abacus";
  EXPECT_EQ(gmm(o),
            invalid("no device abacus; there are cuda, interpreter, threads, mpi, reference"));
}

TEST(GroupedMatmul, an_option_that_changes_nothing_is_refused) {
  Operands o;
  o.options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  EXPECT_EQ(gmm(o), invalid("lhs_layout is for tgmm; gmm takes lhs as [m, k]"));
  o.options.lhs_layout = GroupedMatmulOptions::LhsLayout::km;
  o.options.device = "reference";
  o.options.tiling = Tiling{8, 8, 8};
  EXPECT_EQ(gmm(o),
            unsupported("a tiling selects the tiles of a kernel, and the reference has no tiles"));
  o.options.tiling = {};
  o.options.align = 4;
  EXPECT_EQ(gmm(o), unsupported("align is an option of a kernel, and the reference has none"));
  o.options.align = {};
  o.options.hints.dynamic = true;
  EXPECT_EQ(gmm(o),
            unsupported(
                "hints (tiles as blocks are free) apply to a kernel, and the reference has none"));
}

TEST(GroupedMatmul, the_default_tiling_of_every_profile_fits_its_memory) {
  for (const Profile& profile : profiles()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      Case c = small();
      c.m = 300;
      c.k = c.n = 200;
      c.sizes = {100, 150, 50};
      c.lhs = c.rhs = dtype;
      c.options.tiling = TilingSpec();
      c.options.run.profile = profile.machine;
      const Tensor existing(DType::f32, {300, 200}), blocks(DType::f32, {3, 200, 200});
      c.options.existing_out = &existing;
      expect_gmm(c);
      c.options.existing_out = &blocks;
      expect_tgmm(c);
      EXPECT_EQ(run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes),
                                   {.run = c.options.run})
                    ->tiling,
                profile.tiling);
    }
  }
}

TEST(GroupedMatmul, what_does_not_fit_is_a_finding_and_an_error) {
  Case c = small();
  c.options.tiling = Tiling{256, 256, 256};
  c.options.run.profile = find_profile("h200")->machine;
  const auto run =
      run_grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), c.options);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->report.findings.size(), 1u);
  EXPECT_EQ(run->report.findings[0].kind, FindingKind::capacity);
  EXPECT_EQ(
      grouped::text({as_error(run->report.findings[0])}),
      grouped::text(grouped_matmul(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), c.options)
                        .diags()));
}

TEST(Kernels, every_program_that_has_a_kernel_says_its_command_and_a_small_call) {
  EXPECT_GE(kernels().size(), 25U);
  for (const Kernel& kernel : kernels()) {
    EXPECT_NE(kernel.small_call, "") << kernel.name;
    const auto module = embedded_module(kernel.name);
    ASSERT_TRUE(module) << grouped::text(module.diags());
    EXPECT_NE((*module)->find(kernel.name), nullptr);
    EXPECT_NE((*module)->find(kernel.name)->doc, "");
  }
  const Expected<std::vector<const Module*>> library = function_library();
  ASSERT_TRUE(library);
  for (const Module* module : *library) EXPECT_TRUE(module->kernels.empty());
  EXPECT_EQ(find_kernel("abacus"), nullptr);
  EXPECT_EQ(refusal(make_kernel("abacus", {})), invalid("no kernel abacus"));
}

}  // namespace
}  // namespace tessera
