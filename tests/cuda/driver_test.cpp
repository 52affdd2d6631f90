// The host side of CUDA with a driver that has two devices and no GPU (fake_driver.cpp): what
// belongs to which context, and which thread may do what.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>

#include "analysis/node_check/node_check_report.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/workbench.h"
#include "kernels/programs/kernels.h"
#include "tests/cuda/fake_driver.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

Context context_of(int device) {
  Context context = nullptr;
  entry<int(Context*, int)>("cuDevicePrimaryCtxRetain")(&context, device);
  return context;
}

class CudaDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake()) GTEST_SKIP() << "ctest runs this with a driver of its own";
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

std::string text(const Expected<void>& tried) { return tried ? "" : tried.diags().front().message; }

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

// A stream of the fake driver's.
class FakeStream {
 public:
  FakeStream() { entry<int(void**, unsigned)>("cuStreamCreate")(&handle, 1); }
  ~FakeStream() { entry<int(void*)>("cuStreamDestroy_v2")(handle); }
  void capture(bool begins) { entry<void(void*, bool)>("fake_capture")(handle, begins); }
  void* handle = nullptr;
};

// What each launch was given; a launch on `wrong` finds its operands wrong.
struct Given {
  void* stream;
  std::uint64_t error, taken, arrays;
};
std::vector<Given> given;
void* wrong = nullptr;
std::size_t error_at = 0, taken_at = 0, arrays_at = 0;  // in the kernel's parameter

std::uint64_t number_at(const void* arguments, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, static_cast<const char*>(arguments) + at, sizeof number);
  return number;
}
void run(void* stream, const void* arguments) {
  given.push_back({stream, number_at(arguments, error_at), number_at(arguments, taken_at),
                   number_at(arguments, arrays_at)});
  if (stream == wrong && wrong != nullptr)
    *reinterpret_cast<std::int64_t*>(given.back().error) = 70;
}

// Kernels "run", and a parameter's fields are found by its list.
class CudaStreams : public CudaDriver {
 protected:
  void SetUp() override {
    CudaDriver::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!has_kernels()) GTEST_SKIP() << compiler_fits_driver().reason;
    const auto made = Kernel::make(program_, {.hints = {.dynamic = true}});
    ASSERT_TRUE(made) << render(made.diags());
    kernel_ = *made;
    std::size_t at = 0;
    for (const ArgField& field : kernel_->plan().arguments) {
      if (field.name == "error") error_at = at;
      if (field.name == "taken") taken_at = at;
      if (field.name == "arrays") arrays_at = at;
      const auto* numbers = std::get_if<std::vector<std::int64_t>>(&field.source);
      at += field.type == "TensorMap" ? 128 : numbers != nullptr ? numbers->size() * 8 : 8;
    }
    given.clear();
    wrong = nullptr;
    entry<void(void (*)(void*, const void*))>("fake_kernel")(run);
    used();
  }
  void TearDown() override {
    if (auto* const set = entry<void(void (*)(void*, const void*))>("fake_kernel")) set(nullptr);
  }
  std::string launch(const FakeStream& stream) {
    return text(kernel_->launch(operands_, stream.handle));
  }
  static std::set<void*> used() {
    void* streams[64] = {};
    const std::size_t count =
        entry<std::size_t(void**, std::size_t)>("fake_used_streams")(streams, 64);
    return std::set<void*>(streams, streams + count);
  }

  std::shared_ptr<Kernel> kernel_;
};

// Launches on two streams may run at the same time: a counter of tiles that they share would make
// each leave tiles to the other, and nobody would compute them.
TEST_F(CudaStreams, launches_on_two_streams_share_no_memory) {
  FakeStream a, b;
  for (const FakeStream* stream : {&a, &b, &a, &b}) EXPECT_EQ(launch(*stream), "");
  ASSERT_EQ(given.size(), 4u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(given[i].taken, given[i + 2].taken);  // on one stream they run in order
    EXPECT_EQ(given[i].error, given[i + 2].error);
  }
  EXPECT_NE(given[0].taken, given[1].taken);
  EXPECT_NE(given[0].error, given[1].error);
}

TEST_F(CudaStreams, a_stream_that_takes_a_gone_ones_place_is_another_one) {
  std::uint64_t before = 0;
  {
    FakeStream gone;
    EXPECT_EQ(launch(gone), "");
    before = given.back().taken;
  }
  FakeStream next;
  EXPECT_EQ(launch(next), "");
  EXPECT_NE(given.back().taken, before);
}

// Graphs are replayed at any time, beside each other and beside launches.
TEST_F(CudaStreams, each_captured_launch_has_memory_of_its_own) {
  FakeStream stream;
  EXPECT_EQ(launch(stream), "");
  stream.capture(true);
  EXPECT_EQ(launch(stream), "");
  EXPECT_EQ(launch(stream), "");
  stream.capture(false);
  EXPECT_EQ(launch(stream), "");
  ASSERT_EQ(given.size(), 4u);
  EXPECT_EQ(given[0].taken, given[3].taken);
  EXPECT_EQ((std::set{given[0].taken, given[1].taken, given[2].taken}).size(), 3u);
}

TEST_F(CudaStreams, a_finding_is_read_and_cleared_on_its_own_stream) {
  FakeStream right, bad;
  wrong = bad.handle;
  EXPECT_EQ(launch(right), "");
  EXPECT_EQ(launch(bad), "");
  used();
  EXPECT_EQ(text(kernel_->check(right.handle)), "");
  EXPECT_EQ(used(), std::set{right.handle});
  const std::string found = text(kernel_->check(bad.handle));
  EXPECT_NE(found.find("rows up to 70"), std::string::npos) << found;
  EXPECT_EQ(used(), std::set{bad.handle});  // neither waits for other streams nor disturbs them
  EXPECT_EQ(text(kernel_->check(bad.handle)), "");
}

TEST_F(CudaStreams, what_a_captured_launch_finds_is_its_streams) {
  FakeStream stream, other;
  wrong = stream.handle;
  stream.capture(true);
  EXPECT_EQ(launch(stream), "");
  stream.capture(false);
  EXPECT_EQ(text(kernel_->check(other.handle)), "");
  EXPECT_NE(text(kernel_->check(stream.handle)), "");
  EXPECT_EQ(text(kernel_->check(stream.handle)), "");
}

TEST_F(CudaStreams, all_streams_are_asked_where_none_is_named) {
  FakeStream right, bad;
  wrong = bad.handle;
  EXPECT_EQ(launch(right), "");
  EXPECT_EQ(launch(bad), "");
  EXPECT_NE(text(kernel_->check()), "");
  EXPECT_EQ(text(kernel_->check()), "");
}

// A kernel that does nothing is found where the program says what it should have written.
TEST_F(CudaDriver, one_kernel_is_compared_with_the_interpreter) {
  if (!has_kernels()) GTEST_SKIP() << compiler_fits_driver().reason;
  const auto executable = cuda_device().prepare(program_);
  ASSERT_TRUE(executable) << render(executable.diags());
  Tensor lhs(DType::bf16, {64, 64}), rhs(DType::bf16, {1, 64, 128}), sizes(DType::i32, {1}),
      out(DType::bf16, {64, 128});
  sizes.as<std::int32_t>()[0] = 64;
  graph::NodeCheckReport checked;
  RunOptions options;
  options.observers = {&checked};
  const auto report =
      (*executable)
          ->run({{{"lhs", &lhs}, {"rhs", &rhs}, {"group_sizes", &sizes}, {"out", &out}}},
                {.interpreter = &options});
  ASSERT_TRUE(report) << render(report.diags());
  EXPECT_EQ(checked.runs, 1);
  EXPECT_EQ(checked.tally.differ, 1);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].kind, FindingKind::mismatch);
  EXPECT_TRUE(report->findings[0].at.loc);
}

TEST_F(CudaDriver, a_workbench_fills_what_has_a_pattern_and_leaves_the_rest) {
  const auto bench = cuda_device().workbench();
  ASSERT_TRUE(bench) << render(bench.diags());
  Tensor pattern(DType::bf16, {3});
  for (std::int64_t i = 0; i < 3; ++i) pattern.set(i, static_cast<double>(i + 1));
  const auto filled = (*bench)->add({"lhs", DType::bf16, 8, std::move(pattern)});
  const auto left = (*bench)->add({"out", DType::bf16, 8, std::nullopt});
  ASSERT_TRUE(filled && left);
  ASSERT_TRUE((*bench)->poison(*left, 16));
  Tensor read(DType::bf16, {8});
  ASSERT_TRUE((*bench)->read(read, *filled));
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(read.at(i), static_cast<double>(i % 3 + 1));
  ASSERT_TRUE((*bench)->read(read, *left));
  EXPECT_NE(read.at(7), read.at(7));  // the poison
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
