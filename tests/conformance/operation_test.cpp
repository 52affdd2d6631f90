// The rows M1 to M16 of ejKernel's module layer, and the defects of the original that are not
// copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "devices/devices.h"
#include "kernels/operation/gradients.h"
#include "kernels/operation/grouped_operation.h"
#include "kernels/operation/sharded.h"
#include "tests/conformance/grouped.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using grouped::Case;
using grouped::made;
using grouped::Sizes;
using grouped::sizes_tensor;
using Config = GroupedMatmulConfig;

Config blocks(std::int64_t m, std::int64_t k, std::int64_t n) {
  Config config;
  config.kernel.tiling = {m, k, n};
  return config;
}

// Integer operands: the reference's result is exact.
struct Example {
  Tensor lhs, rhs, sizes;
  GroupedMatmulCall call;
  GroupedConfigChain chain{std::nullopt};

  Example(std::int64_t m, std::int64_t k, std::int64_t n, const Sizes& groups,
          bool transposed = false)
      : lhs(made(DType::bf16, {m, k}, FillRole::lhs, Fill::integers, k, 1)),
        rhs(made(DType::bf16,
                 transposed ? Shape{static_cast<std::int64_t>(groups.size()), n, k}
                            : Shape{static_cast<std::int64_t>(groups.size()), k, n},
                 FillRole::rhs, Fill::integers, k, 2)),
        sizes(grouped::sizes_tensor(groups)) {
    call.transpose_rhs = transposed;
    call.interpret = true;
  }
  GroupedInvocation invocation() const { return {&lhs, &rhs, &sizes, nullptr, nullptr, &call}; }
  Expected<Tensor> run(const Tensor* existing = nullptr) {
    return grouped_matmul(lhs, rhs, sizes, nullptr, existing, call, chain);
  }
  Tensor expected(const Tensor* existing = nullptr,
                  ExistingOut mode = ExistingOut::Accumulate) const {
    GroupedMatmulOptions options;
    options.device = "reference";
    options.transpose_rhs = call.transpose_rhs;
    options.existing_out = existing;
    options.existing_mode = mode;
    auto result = tessera::grouped_matmul(lhs, rhs, sizes, options);
    CHECK(result);
    return *std::move(result);
  }
};

void expect_equal(const Expected<Tensor>& got, const Tensor& wanted) {
  ASSERT_TRUE(got) << render(got.diags());
  ASSERT_EQ(got->shape(), wanted.shape());
  for (std::int64_t i = 0; i < wanted.elements(); ++i) {
    if (got->at(i) != wanted.at(i)) FAIL() << i << ": " << got->at(i) << ", not " << wanted.at(i);
  }
}

template <typename T>
void expect_error(const Expected<T>& result, ErrorCode code, const std::string& text) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].message, text);
  EXPECT_EQ(result.diags()[0].code, code);
}

TEST(Operation, M1_a_config_has_named_fields_equality_and_json) {
  const Config plain;
  EXPECT_EQ(to_json(plain),
            R"({"platform":"auto","backend":"any","block_m":128,"block_n":128,"block_k":128,)"
            R"("num_warps":4,"num_stages":2,"bypass_xla_tiling":false})");
  EXPECT_EQ(*parse_config(to_json(plain)), plain);
  EXPECT_EQ(*parse_config("{}"), plain);
  Config other = blocks(8, 16, 32);
  other.platform = Platform("interpreter");
  other.backend = Backend::Cpu;
  other.kernel.buffers = 3;
  other.num_warps = 8;
  other.bypass_xla_tiling = true;
  EXPECT_EQ(*parse_config(to_json(other)), other);
  EXPECT_NE(other, plain);
}

TEST(Operation, M1_json_is_strict_and_names_the_field) {
  const auto wrong = [](const char* json) {
    const auto config = parse_config(json);
    return config ? std::string() : config.diags()[0].message;
  };
  EXPECT_EQ(wrong(R"({"block_q": 1})"),
            "a config has no field block_q; its fields are platform, backend, block_m, block_n, "
            "block_k, num_warps, num_stages, bypass_xla_tiling, align, hints");
  EXPECT_EQ(wrong(R"({"block_m": "64"})"), "config field block_m wants an integer, got \"64\"");
  EXPECT_EQ(wrong(R"({"block_m": 64.5})"), "config field block_m wants an integer, got 64.5");
  EXPECT_EQ(wrong(R"({"block_m": 0})"), "config field block_m must be at least 1, got 0");
  EXPECT_EQ(wrong(R"({"num_warps": 3})"), "config field num_warps must be a power of two, got 3");
  EXPECT_EQ(wrong(R"({"block_k": null})"), "config field block_k wants an integer, got null");
  EXPECT_EQ(wrong(R"({"block_m": 64, "block_m": 32})"), "config field block_m is given twice");
  EXPECT_EQ(wrong(R"({"bypass_xla_tiling": 1})"),
            "config field bypass_xla_tiling wants true or false, got 1");
  EXPECT_EQ(wrong(R"({"platform": "tpu"})"),
            "'tpu' is no platform; there are auto, triton, pallas, xla, cuda, interpreter, "
            "reference");
  EXPECT_EQ(wrong("[1]"), "a config is a JSON object, got array");
  EXPECT_NE(wrong("{"), "");
  EXPECT_NE(wrong(R"({"block_m": 18446744073709551615})"), "");
}

TEST(Operation, M2_the_operation_has_an_id_for_each_algorithm) {
  EXPECT_EQ(GroupedMatmul().op_id(), "grouped_matmul");
  EXPECT_EQ(GroupedMatmul(true).op_id(), "grouped_matmulv2");
}

TEST(Operation, M3_an_implementation_is_looked_up_by_platform_and_backend) {
  Config config;
  config.platform = Platform("interpreter");
  const auto found = GroupedMatmul().get_impl(config);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->platform, Platform("interpreter"));
  config.platform = Platform::Triton;
  expect_error(GroupedMatmul().get_impl(config), ErrorCode::invalid_value,
               "No implementation found for algorithm=grouped_matmul, platform=triton, "
               "backend=any");
}

TEST(Operation, M4_the_heuristic_is_128_cubed_or_what_the_machine_brings) {
  Example example(300, 64, 32, {100, 150, 50});
  const auto config = GroupedMatmul().heuristic_cfg(example.invocation());
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, Config());
  EXPECT_EQ(config->num_warps, 4);
  EXPECT_EQ(config->kernel.buffers, 2);
  example.call.profile = "h200";
  EXPECT_EQ(GroupedMatmul().heuristic_cfg(example.invocation())->kernel.tiling,
            (Tiling{64, 64, 64}));
}

TEST(Operation, M5_candidates_are_clamped_and_no_two_are_equal) {
  Example large(2048, 2048, 2048, {1024, 1024});
  const auto all = GroupedMatmul().candidate_cfgs(large.invocation());
  ASSERT_TRUE(all);
  const std::vector<Config> nine = {
      blocks(128, 128, 128),   blocks(256, 128, 256),   blocks(512, 128, 512),
      blocks(512, 256, 512),   blocks(512, 512, 512),   blocks(1024, 128, 1024),
      blocks(1024, 256, 1024), blocks(1024, 512, 1024), blocks(1024, 1024, 1024)};
  EXPECT_EQ(*all, nine);
  for (const std::int64_t m : {1, 7, 60, 300, 1000}) {
    for (const std::int64_t k : {1, 64, 200, 4096}) {
      Example small(m, k, 96, {m});
      const auto some = GroupedMatmul().candidate_cfgs(small.invocation());
      ASSERT_TRUE(some);
      EXPECT_FALSE(some->empty());
      for (std::size_t i = 0; i < some->size(); ++i) {
        EXPECT_LE((*some)[i].kernel.tiling.k, k);
        EXPECT_LE((*some)[i].kernel.tiling.n, 96);
        EXPECT_LT((*some)[i].kernel.tiling.m, 2 * std::max<std::int64_t>(m, 8));
        EXPECT_EQ(std::count(some->begin(), some->end(), (*some)[i]), 1);
      }
      EXPECT_EQ(*GroupedMatmul().candidate_cfgs(small.invocation()), *some);  // pure
    }
  }
}

TEST(Operation, M6_run_pads_cuts_calls_and_slices) {
  // The seed's own example, and fewer rows than a block.
  for (const Sizes& groups : {Sizes{100, 150, 50}, Sizes{20, 40}, Sizes{1}, Sizes{0, 0}}) {
    for (const bool transposed : {false, true}) {
      const std::int64_t m = std::accumulate(groups.begin(), groups.end(), std::int64_t{0});
      Example example(m, 64, 32, groups, transposed);
      expect_equal(example.run(), example.expected());
      for (const Config& config : {blocks(128, 128, 128), blocks(16, 24, 8), blocks(512, 32, 64)}) {
        example.call.cfg = config;
        expect_equal(example.run(), example.expected());
      }
    }
  }
}

TEST(Operation, M6_the_tiling_follows_the_padded_rows_and_the_true_n) {
  const auto padding = [](std::int64_t m, std::int64_t k, std::int64_t n, bool pads) {
    return grouped_padding(m, k, n, Config(), pads);
  };
  EXPECT_EQ(padding(60, 64, 32, true)->rows, 128);
  EXPECT_EQ(padding(60, 64, 32, true)->tiling, (Tiling{128, 64, 32}));
  EXPECT_EQ(padding(300, 64, 32, true)->rows, 384);
  EXPECT_EQ(padding(300, 64, 32, true)->tiling.m, 128);
  EXPECT_EQ(padding(60, 64, 32, false)->rows, 60);
  EXPECT_EQ(padding(60, 64, 32, false)->tiling.m, 60);
  // Transposed weights: n is dimension 1, not the last one.
  Example example(128, 16, 200, {128}, true);
  const auto run = GroupedMatmul().run(example.invocation(), Config());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->tiling, (Tiling{128, 16, 128}));
}

TEST(Operation, M6_an_existing_result_is_padded_with_the_rows) {
  Example example(60, 64, 32, {20, 30});
  const Tensor existing = made(DType::f32, {60, 32}, FillRole::existing, Fill::integers, 64, 3);
  for (const ExistingOut mode : {ExistingOut::Accumulate, ExistingOut::Overwrite}) {
    example.call.existing_mode = mode;
    expect_equal(example.run(&existing), example.expected(&existing, mode));
  }
}

TEST(Operation, M6_a_platform_given_replaces_the_configurations) {
  Example example(32, 16, 16, {32});
  example.call.interpret = false;
  example.call.cfg = Config();
  example.call.cfg->platform = Platform::Triton;
  example.call.platform = Platform::Reference;
  EXPECT_TRUE(example.run());
  example.call.platform.reset();
  EXPECT_FALSE(example.run());
}

TEST(Operation, M6_what_no_kernel_honours_is_refused) {
  Example example(32, 16, 16, {32});
  example.call.cfg = Config();
  example.call.cfg->num_warps = 8;
  expect_error(example.run(), ErrorCode::unsupported,
               "num_warps = 8 is not supported on interpreter: its kernels take their warps from "
               "the tile");
  example.call.cfg = Config();
  example.call.cfg->bypass_xla_tiling = true;
  expect_error(example.run(), ErrorCode::unsupported,
               "bypass_xla_tiling is of platform xla, and this is interpreter");
}

TEST(Operation, M7_without_padding_m_must_be_a_multiple_of_the_tile) {
  Example example(300, 64, 32, {100, 150, 50});
  example.call.do_padding = false;
  expect_error(example.run(), ErrorCode::invalid_value,
               "300 must be divisible by x-dimension tile size (128).");
  example.call.cfg = blocks(100, 128, 128);
  expect_equal(example.run(), example.expected());
  EXPECT_TRUE(GroupedMatmulCall().do_padding);
}

Mesh mesh_of(std::vector<MeshAxis> axes) { return {std::move(axes)}; }

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
  const auto sharded = create_sharded(example.invocation(), example.chain);
  ASSERT_TRUE(sharded);
  EXPECT_EQ(sharded->call_args[0], &example.lhs);
  EXPECT_EQ(sharded->call_args[1], &example.rhs);
  EXPECT_EQ(sharded->call_args[2], &example.sizes);
  expect_equal(sharded->run(example.lhs, example.rhs, example.sizes), example.expected());
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
  EXPECT_EQ(message({{"z"}, {}, {}}), "the spec of lhs names axis z, which the mesh has not");
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

// The gradients of a call beside the reference's of the whole operands; integers, so exactly.
void expect_gradients(Example& example, const Tensor* offset = nullptr,
                      const Tensor* existing = nullptr) {
  const std::int64_t m = example.lhs.dim(0),
                     n = example.rhs.dim(example.call.transpose_rhs ? 1 : 2);
  const Tensor cotangent = made(DType::f32, {m, n}, FillRole::existing, Fill::integers, 4, 9);
  const auto got = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes, offset,
                                      existing, example.call, example.chain);
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
                              example.call, example.chain);
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

// The configuration is the forward's: a choice is heard, and a second call finds it in memory.
TEST(OperationGradients, take_the_configuration_of_the_call) {
  Example example(60, 16, 32, {60});
  ASSERT_TRUE(example.run());
  const SelectionRecorder recorder;
  expect_gradients(example);
  ASSERT_FALSE(recorder.events().empty());
  EXPECT_EQ(name(recorder.events().back()), "cache_hit");
}

// A central difference in the direction of each operand: the product is linear in either, and of
// integers that f32 holds.
TEST(OperationGradients, agree_with_differences_of_the_call_itself) {
  Example example(37, 16, 24, {20, 0, 17});
  example.lhs = made(DType::f32, {37, 16}, FillRole::lhs, Fill::integers, 16, 1);
  example.rhs = made(DType::f32, {3, 16, 24}, FillRole::rhs, Fill::integers, 16, 2);
  const Tensor cotangent = made(DType::f32, {37, 24}, FillRole::existing, Fill::integers, 4, 9);
  const auto gradients = grouped_matmul_vjp(cotangent, example.lhs, example.rhs, example.sizes,
                                            nullptr, nullptr, example.call, example.chain);
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
                                            nullptr, nullptr, example.call, example.chain);
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
                                      nullptr, example.call, example.chain);
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
                              example.call, example.chain);
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
               "out_shard_callback is a function of the caller's, and nobody knows its "
               "derivative: apply its own to the cotangent, and leave it out here");
}

TEST(Operation, M9_check_vma_needs_the_copies_of_shards) {
  Example example(32, 16, 16, {32});
  example.call.check_vma = true;
  expect_error(example.run(), ErrorCode::invalid_value,
               "check_vma compares the copies of one shard, and the call has no mesh");
}

TEST(Operation, M11_platforms_have_the_sources_names) {
  for (const char* known : {"triton", "pallas", "cuda", "xla", "auto"}) {
    ASSERT_TRUE(parse_platform(known));
    EXPECT_EQ(name(*parse_platform(known)), known);
  }
  expect_error(parse_platform("rocm"), ErrorCode::invalid_value,
               "'rocm' is no platform; there are auto, triton, pallas, xla, cuda, interpreter, "
               "reference");
  // Auto is the best that is registered and here; a name is itself.
  EXPECT_EQ(*kernel_registry().detect_platform("grouped_matmul", Platform::Xla), Platform::Xla);
  const auto detected = kernel_registry().detect_platform("grouped_matmul", Platform::Auto);
  ASSERT_TRUE(detected);
  EXPECT_TRUE(*detected == Platform("cuda") || *detected == Platform("interpreter"));
  Example example(32, 16, 16, {32});
  example.call.platform = Platform("cuda");
  expect_error(example.run(), ErrorCode::invalid_value,
               "interpret asks for the interpreter, and the platform is cuda");
}

TEST(Operation, M12_version_2_is_looked_up_and_cached_under_its_name) {
  Example example(32, 16, 16, {32});
  expect_equal(example.run(), example.expected());
  const auto first = GroupedMatmul(false).key(example.invocation());
  const auto second = GroupedMatmul(true).key(example.invocation());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->operation, "grouped_matmul@v1");
  EXPECT_EQ(second->operation, "grouped_matmulv2@v1");
  EXPECT_NE(first->id(), second->id());
  example.call.use_v2 = true;
  expect_equal(example.run(), example.expected());
  EXPECT_FALSE(GroupedMatmulCall().use_v2);
}

TEST(Operation, M13_defaults_are_the_sources) {
  const GroupedMatmulCall call;
  EXPECT_FALSE(call.preferred_element_type);
  EXPECT_FALSE(call.transpose_rhs);
  EXPECT_FALSE(call.interpret);
  EXPECT_TRUE(call.do_padding);
  EXPECT_FALSE(call.use_v2);
  EXPECT_FALSE(call.out_shard_callback);
  EXPECT_FALSE(call.platform || call.cfg || call.mesh || call.in_specs || call.out_specs);
  Example example(32, 16, 16, {32});
  EXPECT_EQ(example.run()->dtype(), DType::f32);
  example.call.preferred_element_type = DType::bf16;
  EXPECT_EQ(example.run()->dtype(), DType::bf16);
  // The offset is the fourth operand, the existing result the fifth.
  Tensor offset(DType::i32, {1});
  offset.set(0, 1);
  example.call.preferred_element_type.reset();
  example.sizes = sizes_tensor({12, 20});
  const auto windowed = grouped_matmul(example.lhs, example.rhs, example.sizes, &offset, nullptr,
                                       example.call, example.chain);
  ASSERT_TRUE(windowed) << render(windowed.diags());
  EXPECT_EQ(windowed->at(0), 0);
  Tensor wide(DType::i32, {2});
  expect_error(grouped_matmul(example.lhs, example.rhs, example.sizes, &wide, nullptr, example.call,
                              example.chain),
               ErrorCode::invalid_value, "group_offset must be a ()-shaped array. Got: (2,).");
}

TEST(Operation, M14_the_key_has_shapes_types_and_buckets_but_no_values) {
  const auto key = [](const Sizes& groups, std::int64_t n = 16) {
    const std::int64_t m = 100;
    Example example(m, 16, n, groups);
    return GroupedMatmul().key(example.invocation())->everything();
  };
  EXPECT_EQ(key({50, 50}), key({49, 51}));  // one bucket
  EXPECT_NE(key({50, 50}), key({90, 10}));  // another largest size
  EXPECT_NE(key({50, 50}), key({50, 50, 0}));
  EXPECT_NE(key({60, 20, 10, 10}), key({60, 40, 0, 0}));  // half of the groups are empty
  EXPECT_NE(key({50, 50}), key({50, 50}, 32));
  Example example(100, 16, 16, {50, 50});
  example.call.profile = "v6e";
  EXPECT_NE(GroupedMatmul().key(example.invocation())->device, "interpreter v5e|1");
}

TEST(Operation, M14_the_executor_tunes_on_simulated_time_and_remembers) {
  const TemporaryFolder folder;
  Example example(256, 256, 256, {128, 128});
  GroupedConfigChain chain((PersistentCache(folder.file("c"))));
  AutotunePolicy policy;
  policy.cache_miss_fallback = AutotunePolicy::Fallback::Autotune;
  policy.validate_backward = true;
  const PolicyOverride tunes(policy);
  const auto decision = GroupedMatmul().choose(example.invocation(), chain);
  ASSERT_TRUE(decision) << render(decision.diags());
  EXPECT_EQ(decision->source, ConfigSource::Autotune);
  ASSERT_TRUE(decision->tuning);
  EXPECT_GE(decision->tuning->candidates.size(), 2u);
  EXPECT_EQ(GroupedMatmul().choose(example.invocation(), chain)->source, ConfigSource::Memory);
  const auto kept = chain.persistent()->list();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].entry->measure, "simulated on v5e");
  EXPECT_GT(kept[0].entry->seconds, 0);
  GroupedConfigChain later((PersistentCache(folder.file("c"))));
  EXPECT_EQ(GroupedMatmul().choose(example.invocation(), later)->source, ConfigSource::Persistent);
  expect_equal(grouped_matmul(example.lhs, example.rhs, example.sizes, nullptr, nullptr,
                              example.call, later),
               example.expected());
}

TEST(Operation, M14_representative_sizes_sum_to_m) {
  for (const std::int64_t m : {0, 1, 7, 300, 4096}) {
    for (const std::int64_t groups : {1, 2, 3, 64, 5000}) {
      for (const std::int64_t largest : {std::int64_t{0}, std::int64_t{1}, m / 2, m, 2 * m}) {
        for (const std::int64_t filled : {std::int64_t{1}, (groups + 1) / 2, groups}) {
          const auto sizes = representative_sizes(m, groups, largest, filled);
          EXPECT_EQ(static_cast<std::int64_t>(sizes.size()), groups);
          EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), m);
          EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 0);
          EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), sizes[0]);
          EXPECT_GE(std::count(sizes.begin(), sizes.end(), 0), groups - filled);
        }
      }
    }
  }
}

Expected<GroupedMatmulRun> other(const Tensor&, const Tensor&, const Tensor&,
                                 const GroupedMatmulOptions&) {
  return error("other");
}
Expected<GroupedMatmulRun> another(const Tensor&, const Tensor&, const Tensor&,
                                   const GroupedMatmulOptions&) {
  return error("another");
}

TEST(Operation, M15_specs_are_kept_by_priority_and_looked_up_once) {
  KernelRegistry registry;
  const auto add = [&](Platform platform, Backend backend, const char* algorithm,
                       GroupedImplementation f, int priority) {
    return registry.add({platform, backend, algorithm, f, priority, {}});
  };
  EXPECT_TRUE(add(Platform::Xla, Backend::Any, "Product", other, 0).empty());
  EXPECT_TRUE(add(Platform::Pallas, Backend::Tpu, "product", other, 5).empty());
  EXPECT_TRUE(add(Platform::Pallas, Backend::Tpu, "product", another, 5).empty());
  EXPECT_TRUE(add(Platform("cuda"), Backend::Gpu, "product", other, 7).empty());
  EXPECT_TRUE(add(Platform("cuda"), Backend::Gpu, "again", other, 7).empty());
  const Diags twice = add(Platform("cuda"), Backend::Gpu, "PRODUCT", other, 1);
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].message, "product is registered twice for platform=cuda, backend=gpu");

  EXPECT_EQ(registry.list_algorithms(), (std::vector<std::string>{"again", "product"}));
  const auto specs = registry.list_implementations("product");
  ASSERT_TRUE(specs);
  EXPECT_EQ((*specs)[0].platform, Platform("cuda"));
  EXPECT_EQ((*specs)[1].implementation, other);  // registered before its equal
  EXPECT_EQ((*specs)[2].implementation, another);
  EXPECT_EQ((*specs)[3].platform, Platform::Xla);

  EXPECT_EQ((*registry.get("product"))->platform, Platform("cuda"));
  EXPECT_EQ((*registry.get("product", Platform::Pallas))->implementation, other);
  EXPECT_EQ((*registry.get("product", {}, Backend::Tpu))->platform, Platform::Pallas);
  EXPECT_EQ((*registry.get("product", {}, Backend::Any))->platform, Platform::Xla);
  // Any is no wildcard; where nothing is for any backend the platform's own is asked, once.
  EXPECT_EQ((*registry.get("product", Platform("cuda"), Backend::Any))->platform, Platform("cuda"));
  // The best of those that are here: a device that is not here is passed by.
  const bool has_gpu = find_device(Platform("cuda"))->available().ok;
  EXPECT_EQ((*registry.get("product", Platform::Auto))->platform,
            has_gpu ? Platform("cuda") : Platform::Pallas);
  expect_error(registry.get("none"), ErrorCode::invalid_value,
               "No implementation found for algorithm: none");
  expect_error(registry.get("product", Platform::Triton, Backend::Gpu), ErrorCode::invalid_value,
               "No implementation found for algorithm=product, platform=triton, backend=gpu");
  // The case on which the original never returned.
  expect_error(registry.get("again", Platform::Xla, Backend::Any), ErrorCode::invalid_value,
               "No implementation found for algorithm=again, platform=xla, backend=any");
  EXPECT_EQ(kernel_registry().list_algorithms(),
            (std::vector<std::string>{"grouped_matmul", "grouped_matmulv2",
                                      "transposed_grouped_matmul"}));
}

TEST(Operation, M16_implementations_of_one_algorithm_take_the_same) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(*kernel_registry().validate_signatures(std::nullopt, warnings));
  EXPECT_TRUE(warnings.empty());
  KernelRegistry registry;
  const std::vector<Parameter> common = {{"lhs", "Tensor", "", false},
                                         {"tiling", "TilingSpec", "none", true}};
  const auto add = [&](Platform platform, std::vector<Parameter> signature) {
    EXPECT_TRUE(
        registry.add({platform, Backend::Any, "p", other, 0, std::move(signature)}).empty());
  };
  add(Platform("interpreter"), common);
  add(Platform("cuda"), common);
  EXPECT_TRUE(*registry.validate_signatures("p", warnings));
  add(Platform::Reference, {{"lhs", "Tensor", "", false}});
  add(Platform::Xla, {{"lhs", "Array", "", false}, {"tiling", "TilingSpec", "128", true}});
  EXPECT_FALSE(*registry.validate_signatures("p", warnings));
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "p: reference differs from interpreter: 1 parameters, expected 2",
                          "p: xla differs from interpreter: lhs is of type Array, expected Tensor",
                          "p: xla differs from interpreter: tiling defaults to 128, expected "
                          "none"}));
  expect_error(registry.validate_signatures("q", warnings), ErrorCode::invalid_value,
               "No implementation found for algorithm: q");
}

}  // namespace
}  // namespace tessera
