// The general kernel on the emulated multiprocessor: types, sizes and bodies that the fast kernel
// does not support.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/data/numeric.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "devices/cuda/runtime/error_word.h"
#include "devices/cuda/templates/fp8.cuh"
#include "tests/source_dir.h"
#include "tests/unit/cuda_case.h"
#include "tests/unit/cuda_emulator.h"

namespace tessera::cuda {
namespace {

class CudaGeneral : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  }
};

TestConfiguration small(TestConfiguration configuration) {
  for (const char* tile : {"tm", "tk", "tn"}) configuration.settings[tile] = "16";
  return configuration;
}

// Returns the error or mismatch, or empty.
std::string run(const TestConfiguration& configuration, const Sizes& sizes, std::uint64_t seed,
                Fill fill = Fill::integers, const Mutation* mutation = nullptr) {
  GroupedCase a_case(small(configuration), sizes, seed, fill, fill == Fill::normal);
  if (!a_case.problem().empty()) return a_case.problem();
  const Expected<LoweredKernel> kernel = lower_general(a_case.program());
  if (!kernel) return render(kernel.diags());
  EmulatedKernel emulated(*kernel, mutation);
  if (!emulated.problem().empty()) return emulated.problem();
  std::map<BufferId, void*> memory;
  for (const BufferId b : operand_buffers(a_case.program())) {
    memory[b] = a_case.tensor(a_case.program().buffers[b].name).data();
  }
  const std::string objection = emulated.run(*kernel, memory, 1 + static_cast<int>(seed % 3), seed);
  if (!objection.empty()) return objection;
  const std::string error = error_text(a_case.program(), *kernel, emulated.error);
  return error.empty() ? a_case.verdict() : error;
}

const Sizes odd{{5, 0, 20, 1}, 29, 19, 21};  // no multiples of tiles, rows after the groups

TEST_F(CudaGeneral, gmm_of_types_and_sizes_that_the_fast_kernel_does_not_take) {
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "f32", "f32", 0), odd, 1), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "f32", "f32", 1), odd, 2, Fill::normal), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "i8", "i32", 0), odd, 3), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "i8", "f32", 0), odd, 7, Fill::uniform), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "bf16", "bf16", 0), odd, 4, Fill::normal), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "f16", "f16", 1, 1), odd, 5), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "f32", "f32", 0, 2), odd, 6), "");
}

// Weights that are not contiguous along the contraction.
TEST_F(CudaGeneral, gmm_of_elements_of_one_byte) {
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "e4m3", "bf16", 0), odd, 7), "");
  EXPECT_EQ(run(gmm_configuration(16, 16, 2, "e5m2", "f32", 0), odd, 8, Fill::normal), "");
}

TEST_F(CudaGeneral, tgmm) {
  EXPECT_EQ(run(tgmm_configuration(16, 16, 2, "f32", "f32"), odd, 11, Fill::normal), "");
  EXPECT_EQ(run(tgmm_configuration(16, 16, 2, "bf16", "bf16", 1), odd, 12), "");
}

TEST_F(CudaGeneral, sizes_that_are_wrong_are_reported) {
  const TestConfiguration gmm = gmm_configuration(16, 16, 2, "f32", "f32", 0);
  EXPECT_EQ(run(gmm, {{5, -3, 20}, 29, 19, 21}, 21),
            "group_sizes[1] is negative; nothing was multiplied");
  EXPECT_EQ(run(gmm, {{20, 30}, 40, 19, 21}, 22),
            "gmm stores rows up to 50 of a result that has 40; do the group sizes sum to more?");
}

TEST_F(CudaGeneral, mistakes_are_seen) {
  const Mutation sum{"prepare.cuh", "carry + sum", "carry"};
  EXPECT_NE(run(gmm_configuration(16, 16, 2, "f32", "f32", 0), odd, 31, Fill::integers, &sum), "");
}

// A user's program: a product with a bias and an activation, in f32, with sizes that are no
// multiples of tiles.
TEST_F(CudaGeneral, a_dense_product_with_an_epilogue) {
  const std::string place = test::source_dir() + "/examples/matmul_bias.tsr";
  const Expected<Module> module =
      parse(std::make_shared<const Source>(Source{place, read_bytes(place)}));
  ASSERT_TRUE(module) << render(module.diags());
  constexpr std::int64_t m = 21, k = 19, n = 35;
  const Expected<Program> program = instantiate(*module, "matmul_bias",
                                                {{"T", "f32"},
                                                 {"m", "21"},
                                                 {"k", "19"},
                                                 {"n", "35"},
                                                 {"tm", "16"},
                                                 {"tk", "16"},
                                                 {"tn", "16"}},
                                                *function_library());
  ASSERT_TRUE(program) << render(program.diags());
  EXPECT_FALSE(lower(*program));
  const Expected<LoweredKernel> kernel = lower_general(*program);
  ASSERT_TRUE(kernel) << render(kernel.diags());
  Tensor a(DType::f32, {m, k}), b(DType::f32, {k, n}), bias(DType::f32, {1, n}),
      out(DType::f32, {m, n});
  fill(a, Fill::normal, FillRole::lhs, k, 1);
  fill(b, Fill::normal, FillRole::rhs, k, 2);
  fill(bias, Fill::normal, FillRole::lhs, k, 3);
  std::map<BufferId, void*> memory;
  for (const BufferId i : operand_buffers(*program)) {
    const std::string& name = program->buffers[i].name;
    memory[i] = (name == "a" ? a : name == "b" ? b : name == "bias" ? bias : out).data();
  }
  EmulatedKernel emulated(*kernel);
  ASSERT_EQ(emulated.problem(), "");
  ASSERT_EQ(emulated.run(*kernel, memory, 3, 1), "");
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = bias.at(j), size = std::abs(sum);
      for (std::int64_t x = 0; x < k; ++x) {
        sum += a.at(i * k + x) * b.at(x * n + j);
        size += std::abs(a.at(i * k + x) * b.at(x * n + j));
      }
      const double exact = 0.5 * sum * (1 + std::erf(sum * 0.7071067811865476));
      // k + 4 roundings of the sum, which gelu amplifies by at most 1.13, and ten roundings of
      // gelu.
      EXPECT_NEAR(out.at(i * n + j), exact, 0x1p-24 * ((k + 4) * 1.13 * size + 10 * std::abs(sum)));
    }
  }
}

TEST(CudaGeneralNumbers, elements_of_one_byte_are_those_of_the_interpreter) {
  for (std::uint32_t code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const auto same = [](float a, std::uint32_t bits) {
      return a != a ? std::isnan(std::bit_cast<float>(bits))
                    : std::bit_cast<std::uint32_t>(a) == bits;
    };
    EXPECT_TRUE(same(from_e4m3(byte), widened<E4m3>(code))) << code;
    EXPECT_TRUE(same(from_e5m2(byte), widened<E5m2>(code))) << code;
  }
  // Every 251st float, and the neighbours of every value and of every midpoint.
  const auto check = [](std::uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    return narrowed<E4m3>(bits) == to_e4m3(x) && narrowed<E5m2>(bits) == to_e5m2(x);
  };
  std::uint32_t wrong = 0;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 251)
    wrong += check(static_cast<std::uint32_t>(bits)) ? 0 : 1;
  for (std::uint32_t top = 0; top < 1 << 14; ++top) {
    for (const std::uint32_t low : {0u, 1u, 0x1FFFFu, 0x20000u, 0x3FFFFu})
      wrong += check(top << 18 | low) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(CudaGeneralLower, the_fast_kernel_comes_first_and_a_reason_with_the_other) {
  const auto program = [](const TestConfiguration& configuration) {
    return *make_kernel(configuration.kernel, configuration.settings);
  };
  const TestConfiguration fast = gmm_configuration(128, 128, 4, "bf16", "bf16", 0);
  EXPECT_TRUE(lower_any(program(fast), {})->tensor_core());
  const Expected<LoweredKernel> older = lower_any(program(fast), {}, false);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->note,
            "the general CUDA kernel, which is slow: the fast kernels are for compute capability "
            "9.0");
  const Expected<LoweredKernel> other =
      lower_any(program(gmm_configuration(128, 128, 4, "f32", "f32", 0)), {});
  ASSERT_TRUE(other) << render(other.diags());
  EXPECT_EQ(other->note,
            "the general CUDA kernel, which is slow: products of f32 and f32; the CUDA kernels "
            "multiply bf16, f16, or e4m3 and e5m2");
  EXPECT_TRUE(lower_any(program(gmm_configuration(128, 128, 4, "f32", "f32", 0)), row_pairs));
  const Expected<LoweredKernel> refused =
      lower_any(program(gmm_configuration(16, 128, 4, "bf16", "bf16", 0)), row_pairs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags()[0].message,
            "tiles with fewer than 64 rows are not fetched for two blocks together");
}

// The last configuration contains a reduction.
TEST(CudaGeneralCompile, for_every_machine_from_8_0_on) {
  if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
  const TestConfiguration quantize{"quantize_tensor",
                                   {{"m", "64"}, {"n", "64"}, {"T", "bf16"}, {"Q", "e4m3"}}};
  for (const char* architecture : {"sm_80", "sm_90"}) {
    for (const TestConfiguration& configuration :
         {gmm_configuration(128, 128, 4, "f32", "f32", 0, 1),
          gmm_configuration(128, 128, 4, "e4m3", "bf16", 0),
          tgmm_configuration(128, 128, 4, "i8", "i32"), quantize}) {
      Expected<LoweredKernel> kernel =
          lower_general(*make_kernel(configuration.kernel, configuration.settings));
      ASSERT_TRUE(kernel) << render(kernel.diags());
      kernel->architecture = architecture;
      const Expected<CompiledKernel> compiled = compile(*kernel);
      ASSERT_TRUE(compiled) << render(compiled.diags());
      EXPECT_EQ(objection(read_log(compiled->log), kernel->threads, 1), "") << compiled->log;
    }
  }
}

}  // namespace
}  // namespace tessera::cuda
