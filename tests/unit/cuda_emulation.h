// Runs one kernel configuration on the emulated multiprocessor, for several problems in turn.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "devices/cuda/runtime/error_word.h"
#include "tests/unit/cuda_case.h"
#include "tests/unit/cuda_emulator.h"

namespace tessera::cuda {

// Compiles a new kernel only if the source for the problem differs.
class Emulation {
 public:
  explicit Emulation(TestConfiguration configuration, const Mutation* mutation = nullptr)
      : configuration_(std::move(configuration)), mutation_(mutation) {}

  void check(const Sizes& sizes, std::uint64_t seed, Fill kind = Fill::integers) {
    std::string outcome;
    run(sizes, seed, kind, outcome);
    EXPECT_EQ(outcome, "");
  }

  // outcome: output: the error of the emulated machine or the kernel, the mismatch of the result,
  // or empty.
  void run(const Sizes& sizes, std::uint64_t seed, Fill kind, std::string& outcome) {
    GroupedCase a_case(configuration_, sizes, seed, kind, kind == Fill::normal);
    SCOPED_TRACE(a_case.name());
    ASSERT_EQ(a_case.problem(), "");
    const Program& program = a_case.program();
    const Expected<LoweredKernel> kernel = lower(program, a_case.hints());
    ASSERT_TRUE(kernel) << render(kernel.diags());
    a_case.sum_error = kernel->sum_error;
    EmulatedKernel& emulated = compiled(*kernel);
    ASSERT_EQ(emulated.problem(), "");
    std::map<BufferId, void*> memory;
    for (const BufferId b : program.buffers.ids()) {
      const Buffer& buffer = program.buffers[b];
      if (buffer.role != Role::scratch) memory[b] = a_case.tensor(buffer.name).data();
    }
    const int blocks = (1 + static_cast<int>(seed % 3)) * kernel->tensor_core()->cluster;
    outcome = emulated.run(*kernel, memory, blocks, seed, seed % 2 == 0);
    fetched_bytes = emulated.fetched_bytes;
    if (!outcome.empty()) return;
    outcome = error_text(program, *kernel, emulated.error);
    if (outcome.empty()) {
      outcome = a_case.verdict();
      return;
    }
    const Tensor& out = a_case.tensor("out");
    for (std::int64_t i = 0; i < out.elements(); ++i) nonzero |= out.at(i) != 0;
  }

  unsigned long long fetched_bytes = 0;  // in the last run
  bool nonzero = false;                  // true if a rejected call left a result other than zeros

 private:
  EmulatedKernel& compiled(const LoweredKernel& kernel) {
    if (!kernel_ || source_ != kernel.source)
      kernel_ = std::make_unique<EmulatedKernel>(kernel, mutation_);
    source_ = kernel.source;
    return *kernel_;
  }

  TestConfiguration configuration_;
  const Mutation* mutation_;
  std::string source_;
  std::unique_ptr<EmulatedKernel> kernel_;
};

class CudaEmulate : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  }
};

inline const Sizes ragged{
    {5, 0, 130, 64, 1, 0, 63}, 300, 200, 328};       // tails in k and n, rows after the groups
inline const Sizes full{{128, 256}, 384, 256, 256};  // only whole tiles

}  // namespace tessera::cuda
