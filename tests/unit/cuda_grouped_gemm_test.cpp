// Grouped GEMM on a GPU: which kernel a call gets, whether it compiles, and (skipped without a GPU)
// what it computes on the caller's memory.
#include <gtest/gtest.h>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_gemm/on_gpu.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/device_arrays.h"

namespace tessera::cuda {
namespace {

DeviceGroupedGemm large(DType type) {
  DeviceGroupedGemm call;
  call.m = 300;
  call.k = 208;
  call.n = 264;
  call.groups = 5;
  call.lhs = call.rhs = type;
  call.transpose_rhs = true;
  call.adds_c = true;
  call.bias = DType::f32;
  return call;
}

DeviceGroupedGemm wgrad(DType type) {
  DeviceGroupedGemm call = large(type);
  call.kind = DeviceGroupedGemm::Kind::wgrad;
  call.transpose_rhs = false;
  return call;
}

std::vector<DeviceGroupedGemm> fast_calls() {
  DeviceGroupedGemm mixed = large(DType::e4m3), few = large(DType::bf16), f16 = large(DType::f16);
  mixed.rhs = DType::e5m2;
  few.given = Configuration{{16, 64, 128}, 8};
  f16.transpose_rhs = false;
  f16.out = DType::f32;
  f16.bias = DType::f16;
  return {large(DType::bf16), large(DType::e4m3), mixed, few, f16, wgrad(DType::bf16)};
}

Expected<LoweredKernel> lowered(const DeviceGroupedGemm& call) {
  const Configuration c = call.configuration();
  const Expected<Program> program = call.program(c);
  if (!program) return program.diags();
  return lower_any(*program, c.hints);
}

TEST(CudaGroupedGemm, calls_get_the_fast_kernel_by_the_models_configuration) {
  for (const DeviceGroupedGemm& call : fast_calls()) {
    const Expected<LoweredKernel> kernel = lowered(call);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    EXPECT_FALSE(kernel->is_general) << kernel->note;
    EXPECT_EQ(kernel->sum_error > 0, size_of(call.lhs) == 1);
  }
  const DeviceGroupedGemm few{.m = 4096, .k = 7168, .n = 4096, .groups = 256};
  EXPECT_LT(few.configuration().tiling.m, 64);
}

TEST(CudaGroupedGemm, scales_of_blocks_get_the_general_kernel) {
  DeviceGroupedGemm call = large(DType::e4m3);
  call.block_scales = true;
  call.k = 224;
  const Expected<LoweredKernel> kernel = lowered(call);
  ASSERT_TRUE(kernel) << render(kernel.diags());
  EXPECT_EQ(kernel->note,
            "the general CUDA kernel, which is slow: scales of blocks have no CUDA kernel");
}

TEST(CudaGroupedGemm, what_does_not_go_together_is_refused) {
  DeviceGroupedGemm call = wgrad(DType::bf16);
  call.transpose_rhs = true;
  const auto program = call.program(call.configuration());
  ASSERT_FALSE(program);
  EXPECT_EQ(program.diags()[0].message, "transpose_rhs is of rows, and this is wgrad");
}

TEST(CudaGroupedGemm, every_call_passes_the_gates_of_the_compiler) {
  if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
  constexpr int named_barriers = 4;
  for (const DeviceGroupedGemm& call : fast_calls()) {
    const Expected<LoweredKernel> kernel = lowered(call);
    ASSERT_TRUE(kernel);
    SCOPED_TRACE(kernel->summary);
    const Expected<CompiledKernel> compiled = compile(*kernel);
    ASSERT_TRUE(compiled) << render(compiled.diags());
    EXPECT_EQ(objection(read_log(compiled->log), kernel->threads, named_barriers), "")
        << compiled->log;
  }
}

// Whole numbers: the bits of the interpreter.
TEST(CudaGroupedGemm, the_callers_memory_gets_the_interpreters_bits) {
  if (const Support here = cuda_device().available(); !here.ok) GTEST_SKIP() << here.reason;
  for (const DeviceGroupedGemm& call : fast_calls()) {
    const Expected<std::shared_ptr<Kernel>> kernel = device_grouped_gemm(call);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    SCOPED_TRACE((*kernel)->plan().summary);
    const Expected<Program> program = call.program(call.configuration());
    std::map<std::string, Tensor> tensors;
    DeviceArrays arrays;
    DeviceOperands operands;
    DeviceBinding binding;
    std::uint64_t seed = 0;
    for (const Buffer& buffer : program->buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor& tensor = tensors[buffer.name] = Tensor(buffer.dtype, buffer.shape);
      fill(tensor, Fill::integers, FillRole::lhs, 4096, ++seed);
      if (buffer.name == "group_sizes") {
        constexpr std::array sizes{100, 0, 130, 64, 1};
        std::copy(sizes.begin(), sizes.end(), tensor.as<std::int32_t>());
      }
      const auto bytes = static_cast<std::size_t>(tensor.bytes());
      ASSERT_FALSE(arrays.add(operands[buffer.name], tensor.bytes()));
      ASSERT_FALSE(to_device(operands[buffer.name], tensor.data(), bytes));
      binding[buffer.name] = &tensor;
    }
    ASSERT_FALSE((*kernel)->launch(operands, nullptr));
    ASSERT_FALSE(synchronise(nullptr));
    ASSERT_FALSE((*kernel)->check());
    Tensor found = tensors["out"].clone();
    ASSERT_FALSE(to_host(found.data(), operands["out"], static_cast<std::size_t>(found.bytes())));
    ASSERT_TRUE(interpreter_device().run(*program, {binding}, {}));
    for (std::int64_t i = 0; i < found.elements(); ++i)
      ASSERT_EQ(found.at(i), tensors["out"].at(i)) << i;
  }
}

}  // namespace
}  // namespace tessera::cuda
