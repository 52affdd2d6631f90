// Gradients of the calls of ejKernel's module layer, which follow the options of their calls.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/operation/grouped_operation.h"
#include "tests/conformance/operation_case.h"

namespace tessera {
namespace {

using grouped::made;
using grouped::Sizes;
using grouped::sizes_tensor;
using operation::blocks;
using operation::Config;
using operation::Example;
using operation::expect_equal;
using operation::expect_error;
using operation::mesh_of;

// The gradients of a call beside the reference's of the whole operands; integers, so exactly.
void expect_gradients(Example& example, const Tensor* offset = nullptr,
                      const Tensor* existing = nullptr) {
  const std::int64_t m = example.lhs.dim(0),
                     n = example.rhs.dim(example.call.transpose_rhs ? 1 : 2);
  const Tensor cotangent = made(DType::f32, {m, n}, FillRole::existing, Fill::integers, 4, 9);
  const auto got = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes, offset,
                                      existing, example.call);
  ASSERT_TRUE(got) << render(got.diags());
  GroupedMatmulOptions options;
  options.device = "reference";
  options.transpose_rhs = example.call.transpose_rhs;
  options.existing_out = existing;
  options.existing_mode = example.call.existing_mode;
  if (offset) options.window = *group_window(*offset, example.call.rows);
  const auto wanted =
      grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes, options);
  ASSERT_TRUE(wanted) << render(wanted.diags());
  EXPECT_EQ(got->lhs.dtype(), example.lhs.dtype());
  EXPECT_EQ(got->rhs.dtype(), example.rhs.dtype());
  expect_equal(got->lhs.clone(), wanted->lhs);
  expect_equal(got->rhs.clone(), wanted->rhs);
  ASSERT_EQ(got->existing_out.has_value(), existing != nullptr);
  if (existing) expect_equal(got->existing_out->clone(), *wanted->existing_out);
}

TEST(OperationGradients, are_those_of_the_rows_that_the_call_was_given) {
  for (const Sizes& groups : {Sizes{100, 150, 50}, Sizes{20, 0, 40}, Sizes{0, 0}}) {
    for (const bool transposed : {false, true}) {
      const std::int64_t m = std::accumulate(groups.begin(), groups.end(), std::int64_t{0});
      Example example(m, 24, 40, groups, transposed);
      expect_gradients(example);
      for (const Config& config : {blocks(128, 128, 128), blocks(16, 24, 8), blocks(512, 32, 64)}) {
        example.call.cfg = config;
        expect_gradients(example);
      }
      example.call.interpret = false;
      example.call.platform = Platform::Reference;
      expect_gradients(example);
    }
  }
}

TEST(OperationGradients, follow_the_window_and_what_existed) {
  Example example(61, 24, 40, {11, 30, 15});
  example.rhs = made(DType::bf16, {2, 24, 40}, FillRole::rhs, Fill::integers, 24, 2);
  Tensor offset(DType::i32, {1});
  offset.set(0, 1);
  const Tensor existing = made(DType::f32, {61, 40}, FillRole::existing, Fill::integers, 24, 3);
  for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
    example.call.existing_mode = mode;
    expect_gradients(example, &offset, &existing);
  }
}

TEST(OperationGradients, honour_the_options_of_the_call) {
  Example example(64, 24, 40, {11, 30, 23});
  example.call.use_v2 = true;
  example.call.precision = Precision::Highest;
  expect_gradients(example);
  example.call.do_padding = false;
  example.call.cfg = blocks(32, 16, 16);
  expect_gradients(example);
  example.call.cfg = blocks(48, 16, 16);
  const Tensor cotangent(DType::f32, {64, 40});
  const auto gradients = [&](const Tensor& of) {
    return grouped_matmul_vjp(of, example.lhs, example.rhs, example.sizes, nullptr, nullptr,
                              example.call);
  };
  expect_error(gradients(cotangent), ErrorCode::invalid_value,
               "64 must be divisible by x-dimension tile size (48).");
  example.call.cfg->num_warps = 8;
  EXPECT_EQ(gradients(cotangent).diags()[0].code, ErrorCode::unsupported);
  // The cotangent is of the type that the call gives.
  example.call.cfg.reset();
  example.call.do_padding = true;
  example.call.preferred_element_type = DType::bf16;
  EXPECT_TRUE(gradients(Tensor(DType::bf16, {64, 40})));
  expect_error(gradients(cotangent), ErrorCode::invalid_type,
               "the cotangent is f32, the result is bf16");
}

// Rows of the processed groups alone: those of groups 1 and 2.
TEST(OperationGradients, of_local_rows_are_of_the_rows_there_are) {
  Example example(45, 24, 40, {11, 30, 15});
  example.rhs = made(DType::bf16, {2, 24, 40}, FillRole::rhs, Fill::integers, 24, 2);
  example.call.rows = GroupWindow::Local;
  Tensor offset(DType::i32, {1});
  offset.set(0, 1);
  expect_gradients(example, &offset);
}

// The gradients choose as the call does: by its key, its overlay and its caches.
TEST(OperationGradients, take_the_configuration_of_the_call) {
  Example example(60, 16, 32, {60});
  expect_gradients(example);
  const auto decision = example.choose();
  EXPECT_EQ(decision->source, ConfigSource::Memory);
  Config unusable;
  unusable.num_warps = 8;
  example.call.overlay = {{decision->key, unusable}};
  const auto gradients = grouped_matmul_vjp(Tensor(DType::f32, {60, 32}), example.lhs, example.rhs,
                                            example.sizes, nullptr, nullptr, example.call);
  ASSERT_FALSE(gradients);
  EXPECT_EQ(gradients.diags()[0].code, ErrorCode::unsupported);
}

// A central difference in the direction of each operand: the product is linear in either, and of
// integers that f32 holds.
TEST(OperationGradients, agree_with_differences_of_the_call_itself) {
  Example example(37, 16, 24, {20, 0, 17});
  example.lhs = made(DType::f32, {37, 16}, FillRole::lhs, Fill::integers, 16, 1);
  example.rhs = made(DType::f32, {3, 16, 24}, FillRole::rhs, Fill::integers, 16, 2);
  const Tensor cotangent = made(DType::f32, {37, 24}, FillRole::existing, Fill::integers, 4, 9);
  const auto gradients = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes,
                                            nullptr, nullptr, example.call);
  ASSERT_TRUE(gradients) << render(gradients.diags());
  const auto along = [&] {  // <cotangent, result>
    const Tensor result = *example.run();
    double sum = 0;
    for (std::int64_t i = 0; i < result.elements(); ++i) sum += result.at(i) * cotangent.at(i);
    return sum;
  };
  const auto expect_differences = [&](Tensor& operand, const Tensor& gradient) {
    for (std::int64_t i = 0; i < operand.elements(); i += 97) {
      const double value = operand.at(i);
      operand.set(i, value + 1);
      const double above = along();
      operand.set(i, value - 1);
      const double below = along();
      operand.set(i, value);
      EXPECT_EQ((above - below) / 2, gradient.at(i)) << i;
    }
  };
  expect_differences(example.lhs, gradients->lhs);
  expect_differences(example.rhs, gradients->rhs);
}

TEST(OperationGradients, of_real_operands_are_within_the_bound) {
  Example example(70, 48, 40, {33, 0, 37});
  example.lhs = made(DType::bf16, {70, 48}, FillRole::lhs, Fill::normal, 48, 1);
  example.rhs = made(DType::bf16, {3, 48, 40}, FillRole::rhs, Fill::normal, 48, 2);
  const Tensor cotangent = made(DType::f32, {70, 40}, FillRole::existing, Fill::normal, 40, 9);
  const auto gradients = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes,
                                            nullptr, nullptr, example.call);
  ASSERT_TRUE(gradients) << render(gradients.diags());
  GroupedMatmulOptions of_lhs, of_rhs;
  of_lhs.transpose_rhs = true;
  of_lhs.out_dtype = of_rhs.out_dtype = DType::bf16;
  of_rhs.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  const auto lhs_problem = gmm_problem(cotangent, example.rhs, example.sizes, of_lhs);
  const auto rhs_problem = tgmm_problem(example.lhs, cotangent, example.sizes, of_rhs);
  ASSERT_TRUE(lhs_problem && rhs_problem);
  const Verdict lhs = check_gmm(*lhs_problem, gradients->lhs, {});
  const Verdict rhs = check_tgmm(*rhs_problem, gradients->rhs, {});
  EXPECT_TRUE(lhs.ok) << lhs.message;
  EXPECT_TRUE(rhs.ok) << rhs.message;
}

TEST(OperationGradients, on_a_mesh_are_those_of_the_whole) {
  struct Cut {
    std::vector<PartitionSpec> in;
    PartitionSpec out;
  };
  const std::optional<std::string> none;
  const Cut columns{{{}, {none, none, "x"}, {}}, {none, "x"}};
  const Cut experts{{{"x"}, {"x"}, {"x"}}, {"x"}};
  const Cut both{{{"x"}, {"x", none, "y"}, {"x"}}, {"x", "y"}};
  const Cut copies{{{"x"}, {"x"}, {"x"}}, {"x"}};  // everything twice, along y
  const Mesh line = mesh_of({{"x", 2}}), grid = mesh_of({{"x", 2}, {"y", 4}}),
             twice = mesh_of({{"x", 2}, {"y", 2}});
  Example example(60, 24, 64, {10, 20, 25, 5});
  for (const auto& [cut, mesh] : {std::pair{columns, line}, std::pair{experts, line},
                                  std::pair{both, grid}, std::pair{copies, twice}}) {
    example.call.mesh = mesh;
    example.call.in_specs = cut.in;
    example.call.out_specs = cut.out;
    example.call.check_vma = true;
    expect_gradients(example);
    const Tensor existing = made(DType::f32, {60, 64}, FillRole::existing, Fill::integers, 24, 3);
    for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
      example.call.existing_mode = mode;
      expect_gradients(example, nullptr, &existing);
    }
  }
}

// Two devices share the rows and the weights: 31 rows each, one of them padding.
TEST(OperationGradients, on_a_mesh_sum_what_devices_share_and_leave_padding_out) {
  Example example(61, 16, 24, {40, 21});
  example.sizes = sizes_tensor({31, 0, 0, 30});
  example.call.mesh = mesh_of({{"x", 2}});
  example.call.in_specs = std::vector<PartitionSpec>{{"x"}, {}, {"x"}};
  example.call.out_specs = PartitionSpec{"x"};
  const Tensor cotangent = made(DType::f32, {61, 24}, FillRole::existing, Fill::integers, 4, 9);
  const auto got = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes, nullptr,
                                      nullptr, example.call);
  ASSERT_TRUE(got) << render(got.diags());
  // Device 0 has the rows of group 0, device 1 those of group 1: one call with both.
  GroupedMatmulOptions options;
  options.device = "reference";
  const auto wanted =
      grouped_matmul_vjp(cotangent, example.lhs, example.rhs, sizes_tensor({31, 30}), options);
  ASSERT_TRUE(wanted);
  expect_equal(got->lhs.clone(), wanted->lhs);
  expect_equal(got->rhs.clone(), wanted->rhs);
}

TEST(OperationGradients, refuse_what_they_cannot_give) {
  Example example(60, 16, 32, {60});
  const auto refused = [&](const Tensor& cotangent) {
    return grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes, nullptr, nullptr,
                              example.call);
  };
  expect_error(refused(Tensor(DType::f32, {128, 32})), ErrorCode::invalid_value,
               "the cotangent has shape (128, 32), the result has (60, 32)");
  expect_error(refused(Tensor(DType::bf16, {60, 32})), ErrorCode::invalid_type,
               "the cotangent is bf16, the result is f32");
  const Tensor cotangent(DType::f32, {60, 32});
  example.call.check_vma = true;
  expect_error(refused(cotangent), ErrorCode::invalid_value,
               "check_vma compares the copies of one shard, and the call has no mesh");
  example.call.mesh = mesh_of({{"x", 2}});
  expect_error(refused(cotangent), ErrorCode::invalid_value,
               "in_specs must be provided for shard_map execution");
  // Cut along n, but claimed to be the same everywhere.
  example.call.in_specs = std::vector<PartitionSpec>{{}, {std::nullopt, std::nullopt, "x"}, {}};
  example.call.out_specs = PartitionSpec{};
  const auto unequal = refused(cotangent);
  ASSERT_FALSE(unequal);
  EXPECT_EQ(unequal.diags()[0].code, ErrorCode::runtime);
  example.call.check_vma = false;
  example.call.out_specs = PartitionSpec{std::nullopt, "x"};
  expect_error(refused(Tensor(DType::f32, {60, 31})), ErrorCode::invalid_value,
               "the cotangent has shape (60, 31), the result has (60, 32)");
  expect_error(refused(Tensor(DType::bf16, {60, 32})), ErrorCode::invalid_type,
               "shard of device 0: the cotangent is bf16, the result is f32");
  example.call.out_shard_callback = [](Tensor result) { return result; };
  expect_error(refused(cotangent), ErrorCode::unsupported,
               "the derivative of out_shard_callback, which is the caller's function, is not "
               "known: apply it to the cotangent, and omit out_shard_callback here");
}

}  // namespace
}  // namespace tessera
