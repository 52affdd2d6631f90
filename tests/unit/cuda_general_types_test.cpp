// Elementwise ops on mixed element types in the general kernel: the emulated kernel and the
// interpreter give the same elements.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "devices/cuda/lower/general.h"
#include "devices/interpreter/interpreter_device.h"
#include "tests/unit/cuda_emulation.h"
#include "tests/unit/language_support.h"

namespace tessera::cuda {
namespace {

constexpr const char* text = R"(kernel mixed()
  in  a: i8[16, 12] hbm
  in  b: i32[16, 12] hbm
  in  x: f32[16, 12] hbm
  in  h: bf16[16, 12] hbm
  out sums: f32[16, 12] hbm
  out wraps: i32[16, 12] hbm
  out larger: i32[16, 12] hbm
  out ratios: i32[16, 12] hbm
  out least: i32[16, 12] hbm
  out chosen: i32[16, 12] hbm
  out rounded: i8[16, 12] hbm
  out narrow: bf16[16, 12] hbm
  out bits: i64[16, 12] hbm
  out rows: i32[16, 1] hbm
{
  pipeline i in 2 parallel {
    window p = a[i * 8 +: 8, :]
    window q = b[i * 8 +: 8, :]
    window r = x[i * 8 +: 8, :]
    window s = h[i * 8 +: 8, :]
    window o1 = sums[i * 8 +: 8, :]
    window o2 = wraps[i * 8 +: 8, :]
    window o3 = larger[i * 8 +: 8, :]
    window o4 = ratios[i * 8 +: 8, :]
    window o5 = least[i * 8 +: 8, :]
    window o6 = chosen[i * 8 +: 8, :]
    window o7 = rounded[i * 8 +: 8, :]
    window o8 = narrow[i * 8 +: 8, :]
    window o9 = bits[i * 8 +: 8, :]
    window o10 = rows[i * 8 +: 8, :]
    o1 = p + r * s
    o2 = q * q
    o3 = max(p, q)
    o4 = q / p
    o5 = min(p, 2)
    o6 = select(p, q, 7)
    o7 = cast(r)
    o8 = cast(q)
    o9 = cast(q mod 5)
    o10 = row_sum(q)
  }
}
)";

class CudaGeneralTypes : public CudaEmulate {};

TEST_F(CudaGeneralTypes, AreThoseOfTheInterpreter) {
  const Expected<Program> program = test::program(text);
  ASSERT_TRUE(program) << render(program.diags());
  std::map<std::string, Tensor> operands, wanted;
  DeviceBinding binding;
  std::uint64_t seed = 0;
  for (const Buffer& buffer : program->buffers) {
    if (buffer.role == Role::scratch) continue;
    Tensor& tensor = operands[buffer.name] = Tensor(buffer.dtype, buffer.shape);
    if (buffer.role == Role::in) {
      for (std::int64_t e = 0; e < tensor.elements(); ++e)
        tensor.set(e, static_cast<double>((e * 37 + ++seed * 11) % 255 - 127) *
                          (buffer.dtype == DType::i32 ? 1001
                           : is_integer(buffer.dtype) ? 1
                                                      : 0.75));
    }
    binding[buffer.name] = &tensor;
  }
  const Expected<DeviceReport> report = interpreter_device().run(*program, {binding}, {});
  ASSERT_TRUE(report && report->findings.empty());
  for (const Buffer& buffer : program->buffers)
    if (buffer.role == Role::out)
      wanted[buffer.name] =
          std::exchange(operands[buffer.name], Tensor(buffer.dtype, buffer.shape));
  const Expected<LoweredKernel> kernel = lower_general(*program);
  ASSERT_TRUE(kernel) << render(kernel.diags());
  EmulatedKernel emulated(*kernel);
  ASSERT_EQ(emulated.problem(), "");
  std::map<BufferId, void*> memory;
  for (const BufferId b : operand_buffers(*program))
    memory[b] = operands.at(program->buffers[b].name).data();
  ASSERT_EQ(emulated.run(*kernel, memory, 2, 1), "");
  for (const auto& [name, tensor] : wanted)
    for (std::int64_t e = 0; e < tensor.elements(); ++e)
      EXPECT_EQ(operands.at(name).at(e), tensor.at(e)) << name << "[" << e << "]";
}

}  // namespace
}  // namespace tessera::cuda
