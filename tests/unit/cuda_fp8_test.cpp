// FP8 operands on the emulated multiprocessor. Its matrix instructions add FP8 products with only
// 14 bits (tests/cuda/emulate/ptx.h).
#include "devices/cuda/lower/tile_config.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

const Sizes narrow{{5, 0, 130, 64, 1, 0, 63}, 300, 208, 328};  // tails in k and n
const Sizes whole{{128, 256}, 384, 256, 256};

TEST_F(CudaEmulate, gmm_of_e4m3) {
  Emulation kernel(fp8_configuration(128, 128, 6, "e4m3", "bf16"));
  kernel.check(narrow, 201);
  kernel.check(narrow, 202, Fill::normal);
  kernel.check(whole, 203);
  Emulation wide(fp8_configuration(128, 192, 4, "e4m3", "f32", 1));
  wide.check(narrow, 204);
}

TEST_F(CudaEmulate, gmm_of_e5m2_in_pairs_and_in_turns) {
  Emulation pairs(fp8_configuration(128, 128, 4, "e5m2", "f32")
                      .with({.pairing = Pairing::rows, .dynamic = true}));
  pairs.check(narrow, 211);
  pairs.check({{300, 100, 1}, 401, 208, 264}, 212, Fill::normal);
  Emulation turns(fp8_configuration(64, 128, 4, "e5m2", "bf16").with(in_turn));
  turns.check(narrow, 213);
}

TEST_F(CudaEmulate, gmm_of_e4m3_on_few_rows) {
  Emulation kernel(fp8_configuration(16, 128, 8, "e4m3", "bf16"));
  kernel.check({{3, 16, 0, 17, 1}, 40, 208, 328}, 221);
  kernel.check({{3, 16, 0, 17, 1}, 40, 208, 328}, 222, Fill::normal);
}

// The bound holds for a long contraction with terms of one sign, because the sum of every block is
// added in f32. Sums by the matrix instructions only would violate it.
TEST_F(CudaEmulate, long_sums_of_e4m3_keep_their_digits) {
  const TestConfiguration configuration = fp8_configuration(128, 128, 4, "e4m3", "f32");
  const Sizes deep{{40}, 40, 4096, 16};
  Emulation(configuration).check(deep, 231, Fill::uniform);
  const Mutation in_instructions{"consume.cuh", "if constexpr (C::operand_bytes == 1) {\n",
                                 "if constexpr (C::operand_bytes == 0) {\n"};
  std::string outcome;
  Emulation(configuration, &in_instructions).run(deep, 231, Fill::uniform, outcome);
  EXPECT_NE(outcome.find("times its bound"), std::string::npos) << outcome;
}

TEST_F(CudaEmulate, mistakes_in_fp8_are_seen) {
  const std::vector<Mutation> mutations = {
      {"consume.cuh", "ptx::product_wait<0>();\n  release<C>(memory, slot);",
       "release<C>(memory, slot);"},
      {"consume.cuh", "if (step == 0) {", "if (step == 1) {"},
      {"shape.cuh", "(k_first % box_elements) * element_bytes", "(k_first % box_elements) * 2"},
      {"produce.cuh", "bytes += warpgroup_rows * C::k * C::operand_bytes;",
       "bytes += warpgroup_rows * C::k * 2;"},
  };
  for (const Mutation& mutation : mutations) {
    Emulation kernel(fp8_configuration(128, 128, 2, "e4m3", "bf16"), &mutation);
    std::string outcome;
    for (std::uint64_t seed = 241; seed < 244 && outcome.empty(); ++seed) {
      kernel.run({{5, 130}, 140, 336, 136}, seed, Fill::integers, outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
}

TEST(CudaFp8, what_the_instructions_cannot_take_is_refused) {
  const auto reason = [](TestConfiguration configuration) {
    const auto kernel = lowered(configuration);
    return kernel ? kernel->summary : kernel.diags()[0].message;
  };
  EXPECT_EQ(reason(fp8_configuration(128, 128, 6, "e4m3", "bf16")),
            "gmm: sm_90a, tiles 128 x 128 x 128, 6 stages, 2 consumers, operands along k and along "
            "k, e4m3 . e4m3 -> bf16");
  TestConfiguration other = fp8_configuration(128, 128, 6, "e4m3", "bf16");
  other.settings["transpose_rhs"] = "0";
  EXPECT_EQ(reason(other),
            "`rhs` is contiguous across the contraction; the matrix instructions for elements of "
            "one byte read operands that are contiguous along it");
  other = fp8_configuration(128, 128, 6, "e4m3", "bf16");
  other.settings["tk"] = "64";
  EXPECT_EQ(reason(other),
            "tiles of 64 along the contraction; the CUDA kernels take 128 of such elements");
  EXPECT_EQ(reason(fp8_configuration(128, 256, 2, "e4m3", "bf16")),
            "tiles of 128 x 256: the sums do not fit the registers");
  EXPECT_EQ(reason(fp8_configuration(128, 192, 2, "e4m3", "bf16").with(row_pairs)),
            "tiles of 128 x 192 in pairs of blocks do not fit the registers");
}

}  // namespace
}  // namespace tessera::cuda
