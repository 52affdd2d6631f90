// Embedding on a GPU: launches on the caller's memory and stream, and in a CUDA graph that is
// replayed with other group sizes. Without a GPU, each test is skipped with the reason.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/runtime/device_arrays.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/cuda/runtime/shared_library.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/grouped_matmul/on_gpu.h"
#include "tests/unit/cuda_case.h"

namespace tessera::cuda {
namespace {

// The caller's driver objects: a stream without implicit synchronisation, and a graph.
class CallersStream {
 public:
  CallersStream() {
    driver_.find(create_, "cuStreamCreate");
    driver_.find(destroy_, "cuStreamDestroy_v2");
    driver_.find(begin_capture_, "cuStreamBeginCapture_v2");
    driver_.find(end_capture_, "cuStreamEndCapture");
    driver_.find(instantiate_, "cuGraphInstantiateWithFlags");
    driver_.find(launch_, "cuGraphLaunch");
    driver_.find(destroy_graph_, "cuGraphDestroy");
    driver_.find(destroy_exec_, "cuGraphExecDestroy");
    constexpr unsigned non_blocking = 1;
    Context context = nullptr;
    works_ =
        driver_.problem().empty() && use_device(context) && create_(&stream_, non_blocking) == 0;
  }
  ~CallersStream() {
    if (exec_ != nullptr) destroy_exec_(exec_);
    if (graph_ != nullptr) destroy_graph_(graph_);
    if (stream_ != nullptr) destroy_(stream_);
  }
  CallersStream(const CallersStream&) = delete;
  CallersStream& operator=(const CallersStream&) = delete;

  bool works() const { return works_; }
  void* stream() const { return stream_; }
  // Captures the work of `enqueue` in the graph, without running it.
  template <typename Enqueue>
  void capture(const Enqueue& enqueue) {
    constexpr int anything_else_is_an_error = 0;  // CU_STREAM_CAPTURE_MODE_GLOBAL
    ASSERT_EQ(begin_capture_(stream_, anything_else_is_an_error), 0);
    const Expected<void> enqueued = enqueue();
    ASSERT_EQ(end_capture_(stream_, &graph_), 0);
    ASSERT_TRUE(enqueued) << render(enqueued.diags());
    ASSERT_EQ(instantiate_(&exec_, graph_, 0), 0);
  }
  void replay() { ASSERT_EQ(launch_(exec_, stream_), 0); }

 private:
  SharedLibrary driver_{{"libcuda.so.1"}, SharedLibrary::From::machine};
  int (*create_)(void**, unsigned) = nullptr;
  int (*destroy_)(void*) = nullptr;
  int (*begin_capture_)(void*, int) = nullptr;
  int (*end_capture_)(void*, void**) = nullptr;
  int (*instantiate_)(void**, void*, unsigned long long) = nullptr;
  int (*launch_)(void*, void*) = nullptr;
  int (*destroy_graph_)(void*) = nullptr;
  int (*destroy_exec_)(void*) = nullptr;
  void *stream_ = nullptr, *graph_ = nullptr, *exec_ = nullptr;
  bool works_ = false;
};

class CudaEmbed : public testing::Test {
 protected:
  void SetUp() override {
    const Support here = cuda_device().available();
    if (!here.ok) GTEST_SKIP() << here.reason;
    caller_ = std::make_unique<CallersStream>();
    ASSERT_TRUE(caller_->works());
  }

  // Copies a tensor to device memory and returns its address.
  std::uint64_t upload(const Tensor& tensor) {
    std::uint64_t address = 0;
    Expected<void> copied = arrays_.add(address, tensor.bytes());
    if (copied)
      copied = to_device(address, tensor.data(), static_cast<std::size_t>(tensor.bytes()));
    EXPECT_TRUE(copied) << render(copied.diags());
    return address;
  }
  void download(Tensor& tensor, std::uint64_t address) {
    const Expected<void> copied =
        to_host(tensor.data(), address, static_cast<std::size_t>(tensor.bytes()));
    EXPECT_TRUE(copied) << render(copied.diags());
  }

  DeviceArrays arrays_;
  std::unique_ptr<CallersStream> caller_;
};

TEST_F(CudaEmbed, a_captured_launch_is_replayed_with_other_sizes) {
  const std::vector<std::vector<std::int64_t>> replays = {{100, 0, 130, 64, 6},
                                                          {300, 0, 0, 0, 0},
                                                          {0, 0, 0, 0, 0},
                                                          {1, 2, 3, 4, 5},
                                                          {60, 60, 60, 60, 60}};
  for (const TestConfiguration& configuration :
       {gmm_configuration(128, 256, 4, "bf16", "f32", 0).with(row_pairs),
        gmm_configuration(64, 256, 4, "bf16", "bf16", 1).with(in_turn),
        gmm_configuration(16, 128, 6, "bf16", "bf16", 0),
        gmm_configuration(64, 64, 2, "f32", "f32", 0),  // general kernel
        gmm_configuration(128, 128, 4, "bf16", "bf16", 1)
            .with({.pairing = Pairing::columns, .dynamic = true}),  // the counter begins at 0 again
        tgmm_configuration(128, 256, 4, "bf16", "f32")}) {
    const auto case_of = [&](const std::vector<std::int64_t>& groups) {
      return GroupedCase(configuration, {groups, 300, 136, 264}, 5, Fill::integers);
    };
    GroupedCase first = case_of({20, 20, 20, 20, 20});
    SCOPED_TRACE(first.name());
    DeviceOperands operands;
    for (const Buffer& buffer : first.program().buffers) {
      if (buffer.role != Role::scratch) operands[buffer.name] = upload(first.tensor(buffer.name));
    }
    const auto kernel =
        Kernel::make(first.program(), {.hints = first.hints(), .may_ignore_hints = true});
    ASSERT_TRUE(kernel) << render(kernel.diags());
    CallersStream caller;
    caller.capture([&] { return (*kernel)->launch(operands, caller.stream()); });
    for (const std::vector<std::int64_t>& groups : replays) {
      GroupedCase now = case_of(groups);
      Tensor &sizes = now.tensor("group_sizes"), &out = now.tensor("out");
      ASSERT_TRUE(to_device(operands["group_sizes"], sizes.data(),
                            static_cast<std::size_t>(sizes.bytes())));
      ASSERT_TRUE(to_device(operands["out"], out.data(), static_cast<std::size_t>(out.bytes())));
      caller.replay();
      ASSERT_TRUE(synchronise(caller.stream()));
      const Expected<void> checked = (*kernel)->check(caller.stream());
      ASSERT_TRUE(checked) << render(checked.diags());
      download(out, operands["out"]);
      EXPECT_EQ(now.verdict(), "") << now.name();
    }
  }
}

// Tiles are taken from a counter. If two launches shared a counter, each would miss some tiles.
TEST_F(CudaEmbed, launches_on_two_streams_at_once_compute_all_their_tiles) {
  const TestConfiguration configuration =
      gmm_configuration(128, 128, 4, "bf16", "bf16", 1).with({.dynamic = true});
  GroupedCase a_case(configuration, {{2000, 0, 1300, 64, 700}, 4096, 136, 264}, 7, Fill::integers);
  ASSERT_EQ(a_case.problem(), "");
  const Tensor untouched = a_case.tensor("out").clone();
  const auto kernel = Kernel::make(a_case.program(), {.hints = a_case.hints()});
  ASSERT_TRUE(kernel) << render(kernel.diags());
  CallersStream second;
  const std::vector<void*> streams = {caller_->stream(), second.stream()};
  std::vector<DeviceOperands> operands(streams.size());
  for (const Buffer& buffer : a_case.program().buffers) {
    if (buffer.role == Role::scratch) continue;
    for (DeviceOperands& of : operands) of[buffer.name] = upload(a_case.tensor(buffer.name));
  }
  for (int round = 0; round < 20; ++round) {
    for (const DeviceOperands& of : operands) {
      ASSERT_TRUE(
          to_device(of.at("out"), untouched.data(), static_cast<std::size_t>(untouched.bytes())));
    }
    for (std::size_t i = 0; i < streams.size(); ++i)
      ASSERT_TRUE((*kernel)->launch(operands[i], streams[i]));
    for (std::size_t i = 0; i < streams.size(); ++i) {
      ASSERT_TRUE((*kernel)->check(streams[i]));  // waits for the stream
      download(a_case.tensor("out"), operands[i].at("out"));
      ASSERT_EQ(a_case.verdict(), "") << "round " << round << ", stream " << i;
    }
  }
}

// A call by a program with operands on the device and its own stream: two launches in sequence,
// then one synchronisation of this stream.
TEST_F(CudaEmbed, the_public_call_takes_the_callers_memory_and_stream) {
  constexpr std::int64_t m = 300, k = 136, n = 264, groups = 4;
  for (const bool has_window : {false, true}) {
    GroupedDesc call = grouped_desc(GroupedKind::gmm, m, k, n, groups);
    call.out = DType::f32;
    call.transpose_rhs = true;
    if (has_window) {
      call.group_offset = 1;
      call.local_groups = 2;
    }
    const std::int64_t local = has_window ? 2 : groups;
    const auto kernel = device_grouped_matmul(call);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    Tensor lhs(DType::bf16, {m, k}), rhs(DType::bf16, {local, n, k});
    fill(lhs, Fill::integers, FillRole::lhs, k, 1);
    fill(rhs, Fill::integers, FillRole::rhs, k, 2);
    const std::uint64_t left = upload(lhs), right = upload(rhs);
    struct Launched {
      Tensor sizes{DType::i32, {groups}}, out{DType::f32, {m, n}};
      std::uint64_t out_address = 0;
    };
    std::vector<Launched> launches(2);
    const std::vector<std::vector<int>> sizes = {{100, 0, 130, 64}, {3, 200, 5, 92}};
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (std::size_t g = 0; g < sizes[i].size(); ++g)
        launches[i].sizes.as<std::int32_t>()[g] = sizes[i][g];
      std::memset(launches[i].out.data(), 0xFF, static_cast<std::size_t>(launches[i].out.bytes()));
      launches[i].out_address = upload(launches[i].out);
    }
    for (Launched& launched : launches) {
      const Expected<void> launch = (*kernel)->launch({{"lhs", left},
                                                       {"rhs", right},
                                                       {"group_sizes", upload(launched.sizes)},
                                                       {"out", launched.out_address}},
                                                      caller_->stream());
      ASSERT_TRUE(launch) << render(launch.diags());
    }
    ASSERT_TRUE(synchronise(caller_->stream()));
    ASSERT_TRUE((*kernel)->check(caller_->stream()));
    GroupedMatmulOptions options;
    options.transpose_rhs = true;
    options.window.offset = call.group_offset;
    CheckOptions exactly;
    exactly.values = Arithmetic::Values::small_integers;
    for (Launched& launched : launches) {
      download(launched.out, launched.out_address);
      const Expected<GroupedProblem> problem = gmm_problem(lhs, rhs, launched.sizes, options);
      ASSERT_TRUE(problem) << render(problem.diags());
      const Verdict verdict = check_gmm(*problem, launched.out, exactly);
      EXPECT_TRUE(verdict.ok) << verdict.message;
    }
  }
}

TEST(CudaAbsent, the_public_call_says_that_there_is_no_gpu) {
  const Support here = driver_available();
  if (here.ok) GTEST_SKIP() << "there is a GPU here";
  const auto kernel = device_grouped_matmul(grouped_desc(GroupedKind::gmm, 64, 64, 64, 2));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.diags()[0].code, ErrorCode::environment);
  EXPECT_EQ(kernel.diags()[0].message, here.reason);
}

}  // namespace
}  // namespace tessera::cuda
