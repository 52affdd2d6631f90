// Library kernels on the emulated multiprocessor, compared with the interpreter: integers have the
// same bits, with every kind of CUDA kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "devices/cuda/lower/general.h"
#include "devices/interpreter/interpreter_device.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

using Operands = std::map<std::string, Tensor, std::less<>>;

Operands operands_of(const Program& program, const std::vector<std::int64_t>& sizes) {
  Operands made;
  std::uint64_t seed = 0;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role == Role::scratch) continue;
    Tensor& tensor = made[buffer.name] = Tensor(buffer.dtype, buffer.shape);
    if (buffer.role == Role::out) {
      std::memset(tensor.data(), 0xFF, static_cast<std::size_t>(tensor.bytes()));
    } else if (buffer.name == "group_sizes") {
      std::transform(sizes.begin(), sizes.end(), tensor.as<std::int32_t>(),
                     [](std::int64_t size) { return static_cast<std::int32_t>(size); });
    } else if (buffer.name == "reads_c") {
      std::fill_n(tensor.as<std::int32_t>(), tensor.elements(), 1);
    } else {
      fill(tensor, Fill::integers, FillRole::lhs, 4096, ++seed);
    }
  }
  return made;
}

enum class Takes : std::uint8_t { fast, general };

// Returns the error or difference, or empty.
std::string difference(std::string_view kernel, const Settings& settings, Takes takes,
                       const std::vector<std::int64_t>& sizes = {}) {
  const Expected<Program> program = make_kernel(kernel, settings);
  if (!program) return render(program.diags());
  const Expected<LoweredKernel> lowered = lower_any(*program, {});
  if (!lowered) return render(lowered.diags());
  if ((lowered->general() != nullptr) != (takes == Takes::general))
    return "another kernel: " + lowered->note;
  Operands expected = operands_of(*program, sizes), found = operands_of(*program, sizes);
  DeviceBinding binding;
  for (auto& [name, tensor] : expected) binding[name] = &tensor;
  const Expected<DeviceReport> report = interpreter_device().run(*program, {binding}, {});
  if (!report) return render(report.diags());
  if (!report->findings.empty()) return render(report->findings);
  EmulatedKernel emulated(*lowered);
  if (!emulated.problem().empty()) return emulated.problem();
  std::map<BufferId, void*> memory;
  for (const BufferId b : program->buffers.ids()) {
    const Buffer& buffer = program->buffers[b];
    if (buffer.role != Role::scratch) memory[b] = found[buffer.name].data();
  }
  if (std::string problem = emulated.run(*lowered, memory, 2, 7); !problem.empty()) return problem;
  for (const auto& [name, tensor] : expected) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      if (tensor.at(i) != found[name].at(i))
        return fmt::format("{}[{}] is {}, found {}", name, i, tensor.at(i), found[name].at(i));
    }
  }
  return "";
}

Settings with(Settings settings, const Settings& more) {
  for (const auto& [name, value] : more) settings[name] = value;
  return settings;
}

class CudaLibrary : public CudaEmulate {};

TEST_F(CudaLibrary, grouped_gemm_with_alpha_beta_and_bias) {
  const Settings ragged_rows{{"U", "bf16"},   {"B", "f32"},    {"m", "140"},
                             {"n", "136"},    {"groups", "3"}, {"existing", "1"},
                             {"biased", "1"}, {"tm", "128"},   {"tn", "128"}};
  const std::vector<std::int64_t> sizes{5, 0, 130};
  EXPECT_EQ(
      difference("grouped_gemm",
                 with(ragged_rows,
                      {{"T", "bf16"}, {"R", "bf16"}, {"k", "72"}, {"tk", "64"}, {"buffers", "4"}}),
                 Takes::fast, sizes),
      "");
  EXPECT_EQ(difference("grouped_gemm",
                       with(ragged_rows, {{"T", "e4m3"},
                                          {"R", "e5m2"},
                                          {"k", "144"},
                                          {"tk", "128"},
                                          {"transpose_rhs", "1"},
                                          {"buffers", "4"}}),
                       Takes::fast, sizes),
            "");
  EXPECT_EQ(difference("grouped_gemm_wgrad",
                       with(ragged_rows, {{"T", "bf16"},
                                          {"R", "bf16"},
                                          {"k", "136"},
                                          {"tm", "64"},
                                          {"tk", "128"},
                                          {"buffers", "4"}}),
                       Takes::fast, sizes),
            "");
}

TEST_F(CudaLibrary, scales_of_blocks_have_a_general_kernel) {
  const Settings mx{{"T", "e4m3"},         {"R", "e5m2"},  {"U", "f32"}, {"B", "f32"},
                    {"n", "40"},           {"tm", "32"},   {"tk", "32"}, {"tn", "32"},
                    {"block_scales", "1"}, {"groups", "3"}};
  EXPECT_EQ(
      difference("grouped_gemm", with(mx, {{"m", "44"}, {"k", "64"}}), Takes::general, {5, 0, 37}),
      "");
  EXPECT_EQ(difference("grouped_gemm", with(mx, {{"m", "44"}, {"k", "64"}, {"transpose_rhs", "1"}}),
                       Takes::general, {5, 0, 37}),
            "");
  EXPECT_EQ(difference("grouped_gemm_wgrad", with(mx, {{"m", "96"}, {"k", "40"}}), Takes::general,
                       {32, 0, 64}),
            "");
  EXPECT_EQ(difference("scaled_matmul",
                       {{"T", "e4m3"},
                        {"R", "e4m3"},
                        {"U", "bf16"},
                        {"m", "40"},
                        {"k", "96"},
                        {"n", "40"},
                        {"tm", "32"},
                        {"tk", "64"},
                        {"tn", "32"}},
                       Takes::general),
            "");
}

// A violated requirement on operands ends the kernel in every block, with the program's message.
TEST_F(CudaLibrary, what_a_program_requires_is_held) {
  Settings mx{{"T", "e4m3"}, {"R", "e4m3"}, {"U", "f32"},         {"B", "f32"},
              {"m", "96"},   {"k", "40"},   {"n", "40"},          {"groups", "3"},
              {"tm", "32"},  {"tk", "32"},  {"block_scales", "1"}};
  mx["tn"] = "32";
  const Expected<Program> program = make_kernel("grouped_gemm_wgrad", mx);
  ASSERT_TRUE(program) << render(program.diags());
  const Expected<LoweredKernel> kernel = lower_any(*program, {});
  ASSERT_TRUE(kernel) << render(kernel.diags());
  Operands operands = operands_of(*program, {32, 16, 48});
  std::map<BufferId, void*> memory;
  for (const BufferId b : operand_buffers(*program))
    memory[b] = operands[program->buffers[b].name].data();
  EmulatedKernel emulated(*kernel);
  ASSERT_EQ(emulated.problem(), "");
  EXPECT_EQ(emulated.run(*kernel, memory, 3, 5), "");
  const auto refused = finding_of(*program, *kernel, emulated.error);
  ASSERT_FALSE(refused);
  const Diag& found = refused.diags().front();
  EXPECT_EQ(found.code, ErrorCode::invalid_value);
  EXPECT_EQ(found.message, "a scale is of 32 rows of one group");
  EXPECT_GT(found.loc.line, 0);
  const Tensor& out = operands["out"];  // still poisoned
  for (std::int64_t i = 0; i < out.elements(); ++i) ASSERT_TRUE(std::isnan(out.at(i)));
}

// Statements after a violated requirement are not executed, in a loop and in both branches of a
// condition.
TEST_F(CudaLibrary, nothing_is_stored_behind_a_requirement) {
  const char* const text =
      "kernel guarded(m = 32; tm = 16)\n"
      "  in   a:     f32[m, 16] hbm\n  in   where: i32[4]     smem\n"
      "  out  o:     f32[m, 16] hbm\n  smem place: i32[4]\n  tile t:     f32[tm, 16]\n{\n"
      "  require where[3] < 100, \"the last is small\"\n"
      "  for i in 4 {\n    e = where[i]\n"
      "    if i == 2 { require e != 7, \"not seven\" } else { require 0 <= e and e < 4, \"one of "
      "four\" }\n"
      "    if e < 4 or i != 2 { place[e] = i }\n  }\n"
      "  pipeline i in tiles(m, tm) parallel {\n"
      "    window x = a[i * tm +: tm, :] depth 2, pad 0\n    window y = o[i * tm +: tm, :]\n"
      "    t = x\n    y = t\n  }\n}\n";
  const Expected<Module> module = parse(std::make_shared<const Source>(Source{"guarded", text}));
  ASSERT_TRUE(module) << render(module.diags());
  const Expected<Program> program = instantiate(*module, "guarded", {}, *function_library());
  ASSERT_TRUE(program) << render(program.diags());
  const Expected<LoweredKernel> kernel = lower_any(*program, {});
  ASSERT_TRUE(kernel) << render(kernel.diags());
  EmulatedKernel emulated(*kernel);
  ASSERT_EQ(emulated.problem(), "");
  const auto outcome = [&](std::array<int, 4> where) {
    Operands operands = operands_of(*program, {});
    std::copy(where.begin(), where.end(), operands["where"].as<std::int32_t>());
    std::map<BufferId, void*> memory;
    for (const BufferId b : operand_buffers(*program))
      memory[b] = operands[program->buffers[b].name].data();
    const std::string problem = emulated.run(*kernel, memory, 2, 3);
    return problem.empty() ? error_text(*program, *kernel, emulated.error) : problem;
  };
  EXPECT_EQ(outcome({3, 2, 1, 0}), "");
  EXPECT_EQ(outcome({3, 1'000'000'000, 1, 0}), "one of four");
  EXPECT_EQ(outcome({3, 2, 7, 0}), "not seven");
  EXPECT_EQ(outcome({3, 2, 1, 100}), "the last is small");
}

TEST_F(CudaLibrary, quantisation_has_a_general_kernel) {
  const Settings tiles{{"T", "bf16"}, {"m", "40"}, {"n", "64"}, {"tm", "32"}, {"tn", "32"}};
  for (const char* type : {"e4m3", "e5m2"}) {
    for (const char* kernel : {"quantize_tensor", "dequantize_tensor", "dequantize_mxfp8"})
      EXPECT_EQ(difference(kernel, with(tiles, {{"Q", type}}), Takes::general), "") << kernel;
  }
  EXPECT_EQ(difference("dequantize_mxfp8",
                       with(tiles, {{"Q", "e4m3"}, {"m", "64"}, {"columns", "1"}}), Takes::general),
            "");
}

}  // namespace
}  // namespace tessera::cuda
