// The host side of CUDA with a driver that has two devices and no GPU (fake_driver.cpp): what
// belongs to which context, and which thread may do what.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/kernel.h"
#include "kernels/programs/kernels.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

template <typename Function>
Function* entry(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

Context context_of(int device) {
  Context context = nullptr;
  entry<int(Context*, int)>("cuDevicePrimaryCtxRetain")(&context, device);
  return context;
}
int launches(int device) { return entry<int(int)>("fake_launches")(device); }

class CudaDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (entry<int(int)>("fake_launches") == nullptr)
      GTEST_SKIP() << "ctest runs this with a driver of its own";
    if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
    ::setenv("TESSERA_CACHE", folder_.file("cache").c_str(), 1);
    entry<int(Context)>("cuCtxSetCurrent")(nullptr);
    Expected<Program> program = make_kernel("gmm", {{"T", "bf16"},
                                                    {"U", "bf16"},
                                                    {"m", "64"},
                                                    {"k", "64"},
                                                    {"n", "128"},
                                                    {"groups", "1"},
                                                    {"tm", "64"},
                                                    {"tk", "64"},
                                                    {"tn", "128"},
                                                    {"buffers", "3"}});
    ASSERT_TRUE(program) << render(program.diags());
    program_ = *std::move(program);
    for (std::size_t i = 0; i < 4; ++i) memory_[i].resize(1 << 20);
    const auto address = [&](std::size_t i) {
      return (reinterpret_cast<std::uint64_t>(memory_[i].data()) + 255) / 256 * 256;
    };
    operands_ = {
        {"lhs", address(0)}, {"rhs", address(1)}, {"group_sizes", address(2)}, {"out", address(3)}};
  }

  // Where the only compiler is newer than the driver there is no kernel to try.
  static bool has_kernels() { return compiler_fits_driver().ok; }

  Program program_;
  DeviceOperands operands_;

 private:
  TemporaryFolder folder_;
  std::vector<char> memory_[4];
};

std::string text(const Problem& problem) { return problem ? problem->message : ""; }

TEST_F(CudaDriver, a_kernel_belongs_to_the_context_that_was_current) {
  if (!has_kernels()) GTEST_SKIP() << compiler_fits_driver().reason;
  const int before[] = {launches(0), launches(1)};
  const auto on_first = Kernel::make(program_);
  ASSERT_TRUE(on_first) << render(on_first.diags());
  std::shared_ptr<Kernel> on_second;
  {
    const ContextScope second(context_of(1));
    EXPECT_EQ(device_facts().name, "second");
    const auto made = Kernel::make(program_);
    ASSERT_TRUE(made) << render(made.diags());
    on_second = *made;
  }
  EXPECT_EQ(device_facts().name, "first");
  // Whichever is current, each goes to its own device, with as many CTAs as that one has SMs.
  EXPECT_EQ(text(on_second->launch(operands_, nullptr)), "");
  {
    const ContextScope second(context_of(1));
    EXPECT_EQ(text((*on_first)->launch(operands_, nullptr)), "");
  }
  EXPECT_EQ(launches(0), before[0] + 1);
  EXPECT_EQ(launches(1), before[1] + 1);
}

TEST_F(CudaDriver, any_thread_may_launch_check_and_destroy) {
  if (!has_kernels()) GTEST_SKIP() << compiler_fits_driver().reason;
  auto made = Kernel::make(program_);
  ASSERT_TRUE(made) << render(made.diags());
  std::shared_ptr<Kernel> kernel = *std::move(made);
  made = error("moved");
  std::string launched = "not yet", checked = "not yet";
  std::thread([&] {
    launched = text(kernel->launch(operands_, nullptr));
    checked = text(kernel->check());
    kernel.reset();
    Context left = nullptr;
    entry<int(Context*)>("cuCtxGetCurrent")(&left);
    EXPECT_EQ(left, nullptr);  // as the thread was before
  }).join();
  EXPECT_EQ(launched, "");
  EXPECT_EQ(checked, "");
}

// FAKE_DRIVER_VERSION says how old the driver is; ctest runs all this with an old and a new one.
TEST_F(CudaDriver, code_for_a_newer_driver_is_refused) {
  int major = 0;
  std::sscanf(compiler_version().c_str(), "NVRTC %d", &major);
  if (major <= driver_version() / 1000) {
    EXPECT_TRUE(compiler_fits_driver().ok);
    return;
  }
  const std::string reason = compiler_version() +
                             " makes code that a driver of CUDA 12.4 does not load; a toolkit of "
                             "CUDA 12 is needed";
  EXPECT_EQ(cuda_device().available().reason, reason);
  const auto made = Kernel::make(program_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.diags()[0].code, ErrorCode::environment);
  EXPECT_EQ(made.diags()[0].message, reason);
}

}  // namespace
}  // namespace tessera::cuda
