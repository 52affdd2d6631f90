// The rows M8 to M10 of ejKernel's module layer: calls on a mesh of devices.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/operation_case.h"

namespace tessera {
namespace {

using grouped::made;
using grouped::sizes_tensor;
using operation::Example;
using operation::expect_equal;
using operation::expect_error;
using operation::mesh_of;

TEST(Operation, M8_a_mesh_and_its_specs_come_together) {
  Example example(64, 16, 32, {64});
  const Mesh mesh = mesh_of({{"x", 2}});
  const std::vector<PartitionSpec> in = {{}, {std::nullopt, std::nullopt, "x"}, {}};
  const PartitionSpec out = {std::nullopt, "x"};
  example.call.in_specs = in;
  example.call.out_specs = out;
  expect_error(example.run(), ErrorCode::invalid_value,
               "mesh must be provided for shard_map execution");
  example.call.mesh = mesh;
  example.call.in_specs.reset();
  expect_error(example.run(), ErrorCode::invalid_value,
               "in_specs must be provided for shard_map execution");
  example.call.in_specs = in;
  example.call.out_specs.reset();
  expect_error(example.run(), ErrorCode::invalid_value,
               "out_specs must be provided for shard_map execution");
  example.call.out_specs = out;
  example.call.in_specs->pop_back();
  expect_error(example.run(), ErrorCode::invalid_value, "in_specs length 2 != call_args length 3");
  example.call.in_specs = in;
  expect_equal(example.run(), example.expected());
}

TEST(Operation, M8_shards_of_columns_rows_and_both_give_the_whole) {
  struct Cut {
    std::vector<PartitionSpec> in;
    PartitionSpec out;
  };
  const std::optional<std::string> none;
  const Cut columns{{{}, {none, none, "x"}, {}}, {none, "x"}};
  // Four groups on two devices, each with the rows of its own groups.
  const Cut experts{{{"x"}, {"x"}, {"x"}}, {"x"}};
  const Cut both{{{"x"}, {"x", none, "y"}, {"x"}}, {"x", "y"}};
  const Mesh line = mesh_of({{"x", 2}}), grid = mesh_of({{"x", 2}, {"y", 4}});
  Example example(60, 24, 64, {10, 20, 25, 5});  // 30 rows each: neither is a multiple of a block
  const Tensor wanted = example.expected();
  for (const auto& [cut, mesh] :
       {std::pair{columns, line}, std::pair{experts, line}, std::pair{both, grid}}) {
    example.call.mesh = mesh;
    example.call.in_specs = cut.in;
    example.call.out_specs = cut.out;
    expect_equal(example.run(), wanted);
    const Tensor existing = made(DType::f32, {60, 64}, FillRole::existing, Fill::integers, 24, 3);
    expect_equal(example.run(&existing), example.expected(&existing));
  }
}

TEST(Operation, M8_rows_that_devices_do_not_divide_are_padded_or_refused) {
  Example example(61, 16, 16, {40, 21});
  example.call.mesh = mesh_of({{"x", 2}});
  // The second device's 31 rows (one of padding) belong to group 1 by its own sizes.
  example.sizes = sizes_tensor({31, 0, 0, 30});
  example.call.in_specs = std::vector<PartitionSpec>{{"x"}, {}, {"x"}};
  example.call.out_specs = PartitionSpec{"x"};
  const auto result = example.run();
  ASSERT_TRUE(result) << render(result.diags());
  EXPECT_EQ(result->shape(), (Shape{61, 16}));
  example.call.do_padding = false;
  expect_error(example.run(), ErrorCode::invalid_value,
               "dimension 0 of lhs is 61, which axis x of 2 does not divide");
}

TEST(Operation, M8_specs_that_do_not_fit_are_refused) {
  Example example(64, 16, 32, {64});
  example.call.mesh = mesh_of({{"x", 2}});
  example.call.out_specs = PartitionSpec{};
  const auto message = [&](std::vector<PartitionSpec> in) {
    example.call.in_specs = std::move(in);
    const auto result = example.run();
    return result ? std::string() : result.diags()[0].message;
  };
  EXPECT_EQ(message({{"z"}, {}, {}}), "the spec of lhs names axis z, which the mesh does not have");
  EXPECT_EQ(message({{"x", "x"}, {}, {}}), "the spec of lhs names axis x twice");
  EXPECT_EQ(message({{}, {}, {"x", "x"}}),
            "the spec of group_sizes has 2 dimensions, group_sizes has 1");
  EXPECT_EQ(message({{}, {"x"}, {}}), "dimension 0 of rhs is 1, which axis x of 2 does not divide");
  example.call.interpret = false;
  example.call.platform = Platform("cuda");
  const auto cuda = example.run();
  ASSERT_FALSE(cuda);
  EXPECT_EQ(cuda.diags()[0].message, "a mesh is made of simulated devices; platform cuda has none");
}

TEST(Operation, M9_copies_of_one_shard_must_be_equal_when_that_is_checked) {
  Example example(64, 16, 32, {64});
  example.call.mesh = mesh_of({{"x", 2}});
  // Cut along n, but claimed to be the same everywhere.
  example.call.in_specs = std::vector<PartitionSpec>{{}, {std::nullopt, std::nullopt, "x"}, {}};
  example.call.out_specs = PartitionSpec{};
  EXPECT_FALSE(GroupedMatmulCall().check_vma);
  EXPECT_TRUE(example.run());
  example.call.check_vma = true;
  const auto unequal = example.run();
  ASSERT_FALSE(unequal);
  EXPECT_EQ(unequal.diags()[0].code, ErrorCode::runtime);
  EXPECT_EQ(unequal.diags()[0].message.find("the result of device 1 differs from that of device 0 "
                                            "at (0, "),
            0u)
      << unequal.diags()[0].message;
  example.call.in_specs = std::vector<PartitionSpec>{{}, {}, {}};
  expect_equal(example.run(), example.expected());
}

TEST(Operation, M9_check_vma_needs_the_copies_of_shards) {
  Example example(32, 16, 16, {32});
  example.call.check_vma = true;
  expect_error(example.run(), ErrorCode::invalid_value,
               "check_vma compares the copies of one shard, and the call has no mesh");
}

TEST(Operation, M10_the_callback_sees_each_shard_and_the_whole_without_shards) {
  Example example(60, 16, 32, {60});
  std::vector<Shape> seen;
  example.call.out_shard_callback = [&](Tensor result) {
    seen.push_back(result.shape());
    for (std::int64_t i = 0; i < result.elements(); ++i) result.set(i, 2 * result.at(i));
    return result;
  };
  Tensor twice = example.expected();
  for (std::int64_t i = 0; i < twice.elements(); ++i) twice.set(i, 2 * twice.at(i));
  expect_equal(example.run(), twice);
  EXPECT_EQ(seen, (std::vector<Shape>{{60, 32}}));
  seen.clear();
  example.call.mesh = mesh_of({{"x", 4}});
  example.call.in_specs = std::vector<PartitionSpec>{{}, {std::nullopt, std::nullopt, "x"}, {}};
  example.call.out_specs = PartitionSpec{std::nullopt, "x"};
  expect_equal(example.run(), twice);
  EXPECT_EQ(seen, (std::vector<Shape>{{60, 8}, {60, 8}, {60, 8}, {60, 8}}));
  example.call.out_shard_callback = [](Tensor) { return Tensor(DType::f32, {1, 1}); };
  expect_error(example.run(), ErrorCode::invalid_value,
               "out_shard_callback returned f32(1, 1), expected f32(60, 8)");
}

}  // namespace
}  // namespace tessera
