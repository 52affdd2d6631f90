// The rows M1, M6, M7, M12 and M13 of ejKernel's module layer: configurations and calls. The rows
// M2 to M16 of meshes, gradients, choices of configurations and platforms are in the files
// beside.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

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
  EXPECT_EQ(wrong(R"({"block_m": "64"})"), "config field block_m requires an integer, got \"64\"");
  EXPECT_EQ(wrong(R"({"block_m": 64.5})"), "config field block_m requires an integer, got 64.5");
  EXPECT_EQ(wrong(R"({"block_m": 0})"), "config field block_m must be at least 1, got 0");
  EXPECT_EQ(wrong(R"({"num_warps": 3})"), "config field num_warps must be a power of two, got 3");
  EXPECT_EQ(wrong(R"({"block_k": null})"), "config field block_k requires an integer, got null");
  EXPECT_EQ(wrong(R"({"block_m": 64, "block_m": 32})"), "config field block_m is given twice");
  EXPECT_EQ(wrong(R"({"bypass_xla_tiling": 1})"),
            "config field bypass_xla_tiling requires true or false, got 1");
  EXPECT_EQ(wrong(R"({"platform": "tpu"})"),
            "'tpu' is not a platform: expected one of auto, triton, pallas, xla, cuda, "
            "interpreter, threads, mpi, reference");
  EXPECT_EQ(wrong("[1]"), "a config is a JSON object, got array");
  EXPECT_NE(wrong("{"), "");
  EXPECT_NE(wrong(R"({"block_m": 18446744073709551615})"), "");
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
  const auto run = run_by(example.operands(), example.call, Config());
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
               "num_warps = 8 is not supported on interpreter: its kernels derive their warps from "
               "the tile");
  example.call.cfg = Config();
  example.call.cfg->bypass_xla_tiling = true;
  expect_error(example.run(), ErrorCode::unsupported,
               "bypass_xla_tiling is for platform xla, and this is interpreter");
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

TEST(Operation, M12_version_2_is_looked_up_and_cached_under_its_name) {
  Example example(32, 16, 16, {32});
  expect_equal(example.run(), example.expected());
  const OperationKey first = example.key();
  EXPECT_EQ(first.operation, "grouped_matmul@v1");
  example.call.use_v2 = true;
  EXPECT_EQ(example.key().operation, "grouped_matmulv2@v1");
  EXPECT_NE(example.key().id(), first.id());
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
  const auto windowed =
      grouped_matmul(example.lhs, example.rhs, example.sizes, &offset, nullptr, example.call);
  ASSERT_TRUE(windowed) << render(windowed.diags());
  EXPECT_EQ(windowed->at(0), 0);
  Tensor wide(DType::i32, {2});
  expect_error(
      grouped_matmul(example.lhs, example.rhs, example.sizes, &wide, nullptr, example.call),
      ErrorCode::invalid_value, "group_offset must be a ()-shaped array. Got: (2,).");
}

}  // namespace
}  // namespace tessera
