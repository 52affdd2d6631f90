// Checks of the CUDA kernels that require a compiler but no GPU: every configuration is compiled to
// machine code, and the assembler's log reports no spills, no serialised matrix instructions and no
// unexpected barriers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "devices/cuda/runtime/cache.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "tests/unit/cuda_support.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    const Support here = compiler_available();
    if (!here.ok) GTEST_SKIP() << here.reason;
  }
};

// Compiles all configurations and prints a line for each. `seconds` is the CPU time of the
// compiler, because the machine may be busy.
void pass_the_gates(const std::vector<TestConfiguration>& all) {
  // Per kernel. Measured: up to 2.2 on a core shared with another thread, 1.0 on an idle core.
  constexpr double max_seconds = 4;
  double seconds = 0, longest = 0;
  std::string table;
  for (const TestConfiguration& configuration : all) {
    SCOPED_TRACE(configuration.name());
    const Expected<LoweredKernel> kernel = lowered(configuration);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    const Expected<CompiledKernel> compiled = compile(*kernel);
    ASSERT_TRUE(compiled) << render(compiled.diags());
    const CompilerFigures figures = read_log(compiled->log);
    EXPECT_EQ(objection(figures, kernel->threads, named_barriers), "") << compiled->log;
    EXPECT_GT(compiled->cubin.size(), 0u);
    EXPECT_LT(compiled->cpu_seconds, max_seconds);
    seconds += compiled->cpu_seconds;
    longest = std::max(longest, compiled->cpu_seconds);
    table += fmt::format("{:64} {:6.2f} s {:4} registers {:6} bytes\n", configuration.name(),
                         compiled->cpu_seconds, figures.registers, compiled->cubin.size());
  }
  std::cout << table
            << fmt::format("{} kernels for sm_90a by {}: {:.2f} s each, longest {:.2f} s\n",
                           all.size(), compiler_version(),
                           seconds / static_cast<double>(all.size()), longest);
}

TEST_F(CudaCompile, every_candidate_of_the_model_passes_the_gates) {
  pass_the_gates(candidate_configurations());
}
TEST_F(CudaCompile, every_type_layout_and_epilogue_passes_the_gates) {
  std::vector<TestConfiguration> all = test_configurations();
  // The epilogue's loads are in flight together with the largest accumulators.
  all.push_back(gmm_configuration(128, 256, 4, "bf16", "bf16", 0, 1));
  pass_the_gates(all);
}

TEST_F(CudaCompile, a_source_that_is_wrong_fails_with_the_log) {
  Expected<LoweredKernel> kernel = lowered(gmm_configuration(128, 128, 4, "bf16", "bf16", 0));
  ASSERT_TRUE(kernel);
  kernel->source += "\nint unfinished(";
  const Expected<CompiledKernel> compiled = compile(*kernel);
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.diags()[0].message.find("nvrtcCompileProgram failed"), std::string::npos);
  ASSERT_EQ(compiled.diags()[0].notes.size(), 1u);
  EXPECT_NE(compiled.diags()[0].notes[0].message.find("error"), std::string::npos);
}

TEST_F(CudaCompile, a_kernel_in_the_cache_that_was_changed_is_made_again_and_told) {
  const TemporaryFolder folder;
  const std::string place = folder.file("cache");
  ::setenv("TESSERA_CACHE", place.c_str(), 1);
  const Expected<LoweredKernel> kernel = lowered(gmm_configuration(128, 128, 4, "bf16", "bf16", 0));
  ASSERT_TRUE(kernel);
  const auto compiled = [&] {
    const Expected<CompiledKernel> made = compile_cached(*kernel);
    EXPECT_TRUE(made);
    return made ? *made : CompiledKernel();
  };
  EXPECT_FALSE(compiled().cached);
  const CompiledKernel kept = compiled();
  EXPECT_TRUE(kept.cached);
  EXPECT_EQ(kept.notes, std::vector<std::string>());
  EXPECT_EQ(compiled_kernels().files, 1);
  const std::string file = std::filesystem::directory_iterator(place)->path().string();
  std::string bytes = read_bytes(file);
  bytes[bytes.size() - kept.cubin.size() / 2] ^= 1;
  write_bytes(file, bytes);
  const CompiledKernel again = compiled();
  EXPECT_FALSE(again.cached);
  EXPECT_EQ(again.notes, std::vector{"the cache's entry " + file +
                                     " is not used: its checksum does not match its content"});
  EXPECT_EQ(again.cubin, kept.cubin);
  EXPECT_TRUE(compiled().cached);
  EXPECT_EQ(*clear_compiled_kernels(), 1);
  ::unsetenv("TESSERA_CACHE");
}

// "NVRTC 13.0 65be...": two builds of one version compile differently.
TEST_F(CudaCompile, the_compilers_build_is_known) {
  EXPECT_TRUE(compiler_build().starts_with(compiler_version() + " "));
  EXPECT_GT(compiler_build().size(), compiler_version().size() + 4);
}

TEST_F(CudaCompile, the_gates_see_spills) {
  Expected<LoweredKernel> kernel = lowered(gmm_configuration(128, 256, 4, "bf16", "bf16", 0));
  ASSERT_TRUE(kernel);
  const std::string registers = "consumer_registers = 232";
  kernel->source.replace(kernel->source.find(registers), registers.size(),
                         "consumer_registers = 104");
  const TemporaryFolder folder;
  ::setenv("TESSERA_CACHE", folder.file("cache").c_str(), 1);
  for (const bool is_kept : {false, true}) {
    const Expected<CompiledKernel> compiled = compile_cached(*kernel);
    ASSERT_TRUE(compiled) << render(compiled.diags());
    EXPECT_EQ(compiled->cached, is_kept);
    ASSERT_EQ(compiled->notes.size(), 1u);
    EXPECT_NE(compiled->notes[0].find(" to slower code than expected: "), std::string::npos);
  }
  ::unsetenv("TESSERA_CACHE");
}

}  // namespace
}  // namespace tessera::cuda
