// One-dimensional operands in a kernel for matrices: CUDA broadcasts them to every row, like the
// interpreter, in the epilogue of a product and in the general kernel.
#include <fmt/format.h>

#include <utility>

#include "core/lang/language.h"
#include "devices/cuda/lower/general.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/programs/kernels.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

constexpr const char* scaled_product =
    R"(kernel scaled_product(m = 256, k = 128, n = 256; tm = 128, tk = 64, tn = 128, buffers = 2)
  in   a:     bf16[m, k] hbm
  in   b:     bf16[k, n] hbm
  in   scale: f32[n]     hbm
  in   bias:  bf16[n]    hbm
  out  o:     f32[m, n]  hbm
  tile acc: f32[tm, tn]
{
  pipeline i in tiles(m, tm) parallel, j in tiles(n, tn) parallel, s in tiles(k, tk) {
    window x = a[i * tm +: tm, s * tk +: tk] depth buffers, pad 0
    window w = b[s * tk +: tk, j * tn +: tn] depth buffers, pad 0
    window f = scale[j * tn +: tn] pad 0
    window g = bias[j * tn +: tn] pad 0
    window y = o[i * tm +: tm, j * tn +: tn]
    if first(s) { acc = 0 }
    acc += x . w
    if last(s) { y = acc * f + g }
  }
}
)";

class CudaBroadcast : public CudaEmulate {
 protected:
  void SetUp() override {
    CudaEmulate::SetUp();
    if (IsSkipped()) return;
    const Expected<Module> module =
        parse(std::make_shared<const Source>(Source{"scaled_product", scaled_product}));
    ASSERT_TRUE(module) << render(module.diags());
    Expected<Program> made = instantiate(*module, "scaled_product", {}, *function_library());
    ASSERT_TRUE(made) << render(made.diags());
    program_ = *std::move(made);
    DeviceBinding binding;
    std::uint64_t seed = 0;
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor& tensor = operands_[buffer.name] = Tensor(buffer.dtype, buffer.shape);
      if (buffer.role == Role::in) fill(tensor, Fill::integers, FillRole::lhs, 128, ++seed);
      binding[buffer.name] = &tensor;
    }
    const Expected<DeviceReport> report = interpreter_device().run(program_, {binding}, {});
    ASSERT_TRUE(report && report->findings.empty());
    Tensor& out = operands_.at("o");
    wanted_ = std::exchange(out, Tensor(out.dtype(), out.shape()));
  }

  // Returns the error of the kernel or the mismatch of its result, or empty.
  std::string outcome(const Expected<LoweredKernel>& kernel) {
    if (!kernel) return render(kernel.diags());
    EmulatedKernel emulated(*kernel);
    if (!emulated.problem().empty()) return emulated.problem();
    std::map<BufferId, void*> memory;
    for (const BufferId b : operand_buffers(program_))
      memory[b] = operands_.at(program_.buffers[b].name).data();
    if (std::string problem = emulated.run(*kernel, memory, 2, 1); !problem.empty()) return problem;
    const Tensor& out = operands_.at("o");
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      if (wanted_.at(i) != out.at(i))
        return fmt::format("o[{}] is {}, found {}", i, wanted_.at(i), out.at(i));
    }
    return "";
  }

  Program program_;

 private:
  std::map<std::string, Tensor, std::less<>> operands_;
  Tensor wanted_;
};

TEST_F(CudaBroadcast, a_row_in_the_epilogue_of_a_product) {
  EXPECT_EQ(outcome(lower(program_, {})), "");
}

TEST_F(CudaBroadcast, a_row_in_the_general_kernel) {
  EXPECT_EQ(outcome(lower_general(program_)), "");
}

}  // namespace
}  // namespace tessera::cuda
