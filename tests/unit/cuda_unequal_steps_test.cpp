// Two CTAs that compute a pair of tiles with different steps: a product with a matrix in which
// blocks are zero like the squares of a chequerboard. At a slot that only the neighbour uses, a CTA
// must not release the slot before it, which its products may still read.
#include <fmt/format.h>

#include <utility>

#include "core/lang/language.h"
#include "devices/cuda/lower/general.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/programs/kernels.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

constexpr const char* chequered =
    R"(kernel chequered(m = 256, n = 128; tm = 128, tk = 64, tn = 128, buffers = 2)
  in   a:   bf16[m, m] hbm
  in   b:   bf16[m, n] hbm
  out  o:   f32[m, n]  hbm
  tile acc: f32[tm, tn]
{
  pipeline i in tiles(m, tm) parallel, j in tiles(n, tn) parallel, s in tiles(m, tk) {
    window x = a[i * tm +: tm, s * tk +: tk] depth buffers, pad 0
    window w = b[s * tk +: tk, j * tn +: tn] depth buffers, pad 0
    window y = o[i * tm +: tm, j * tn +: tn]
    if first(s) { acc = 0 }
    if (i + s) mod 2 == 0 { acc += x . w }
    if last(s) { y = acc }
  }
}
)";

class CudaUnequalSteps : public CudaEmulate {
 protected:
  void SetUp() override {
    CudaEmulate::SetUp();
    if (IsSkipped()) return;
    const Expected<Module> module =
        parse(std::make_shared<const Source>(Source{"chequered", chequered}));
    ASSERT_TRUE(module) << render(module.diags());
    Expected<Program> made = instantiate(*module, "chequered", {}, *function_library());
    ASSERT_TRUE(made) << render(made.diags());
    program_ = *std::move(made);
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor& tensor = operands_[buffer.name] = Tensor(buffer.dtype, buffer.shape);
      if (buffer.role == Role::in) fill(tensor, Fill::integers, FillRole::lhs, 256, ++seed_);
      binding_[buffer.name] = &tensor;
    }
    const Expected<DeviceReport> report = interpreter_device().run(program_, {binding_}, {});
    ASSERT_TRUE(report && report->findings.empty());
    Tensor& out = operands_.at("o");
    wanted_ = std::exchange(out, Tensor(out.dtype(), out.shape()));
  }

  // Runs two CTAs. Returns the error or mismatch, or empty.
  std::string outcome(const MachineHints& hints) {
    const Expected<LoweredKernel> kernel = lower(program_, hints);
    if (!kernel) return render(kernel.diags());
    EmulatedKernel emulated(*kernel);
    if (!emulated.problem().empty()) return emulated.problem();
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
      if (std::string problem = run(emulated, *kernel, seed); !problem.empty()) return problem;
    return "";
  }

 private:
  std::string run(EmulatedKernel& emulated, const LoweredKernel& kernel, std::uint64_t seed) {
    Tensor& out = operands_.at("o");
    std::memset(out.data(), 0xFF, static_cast<std::size_t>(out.bytes()));
    std::map<BufferId, void*> memory;
    for (const BufferId b : program_.buffers.ids()) {
      const Buffer& buffer = program_.buffers[b];
      if (buffer.role != Role::scratch) memory[b] = operands_.at(buffer.name).data();
    }
    if (std::string problem = emulated.run(kernel, memory, 2, seed); !problem.empty())
      return problem;
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      if (wanted_.at(i) != out.at(i))
        return fmt::format("o[{}] is {}, found {}", i, wanted_.at(i), out.at(i));
    }
    return "";
  }

  Program program_;
  std::map<std::string, Tensor, std::less<>> operands_;
  DeviceBinding binding_;
  Tensor wanted_;
  std::uint64_t seed_ = 0;
};

TEST_F(CudaUnequalSteps, a_CTA_alone) { EXPECT_EQ(outcome({}), ""); }

TEST_F(CudaUnequalSteps, pairs_of_CTAs_along_the_rows) {
  EXPECT_EQ(outcome({.pairing = Pairing::rows}), "");
}

}  // namespace
}  // namespace tessera::cuda
