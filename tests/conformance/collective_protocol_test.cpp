// What the protocols of the collectives are for: each kernel proved for every schedule from one
// run, and refuted when one thing is taken out of its text (collective conformance cases 4, 5, 10,
// 13 and 21 to 23).
#include <functional>
#include <memory>

#include "devices/devices.h"
#include "interp/schedule/strategies.h"
#include "kernels/collective/all_gather.h"
#include "kernels/collective/all_reduce.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/matmul_reduce_scatter.h"
#include "kernels/collective/ragged_slices.h"
#include "kernels/collective/reduce_scatter.h"
#include "kernels/collective/right_permute.h"
#include "kernels/experts/ring_of_experts.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/inputs/routing.h"
#include "kernels/programs/kernels.h"
#include "tests/conformance/collective.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;

// A small call of every kernel on a ring of `length`; its operands live as long as it does.
struct Call {
  std::string kernel;
  std::deque<Tensors> operands;
  std::optional<Launch> launch;
  CollectiveOptions options;

  const Tensors& fill(DType type, const Shape& shape, std::int64_t count) {
    operands.push_back(made(static_cast<std::size_t>(count), type, shape, FillRole::lhs,
                            Fill::integers, 8, operands.size() + 1));
    return operands.back();
  }
  void set(Expected<Launch> made_launch) {
    ASSERT_TRUE(made_launch) << kernel << ": " << collective::text(made_launch.diags());
    launch = *std::move(made_launch);
  }
};

template <typename Options>
Options with(const CollectiveOptions& shared, Options options = {}) {
  static_cast<CollectiveOptions&>(options) = shared;
  return options;
}

constexpr const char* kernels_of_one_axis[] = {
    "allgather_matmul", "allgather_matmul_rows",  "matmul_reduce_scatter", "right_permute",
    "ring_all_gather",  "ring_all_gather_halves", "ring_all_reduce",       "ring_reduce_scatter",
    "sharded_gmm",      "sharded_gmm of blocks",  "ragged_all_to_all",     "expert_parallel_gmm",
    "ring_of_experts"};

std::unique_ptr<Call> call_of(const std::string& kernel, std::int64_t length, const RunOptions& run,
                              int calls = 1, std::int64_t rows = 4) {
  auto call = std::make_unique<Call>();
  call->kernel = kernel;
  call->options = under(CollectiveOptions{}, run);
  call->options.calls = calls;
  const CollectiveOptions& o = call->options;
  const Tensor rings = make_rings(1, length, static_cast<std::uint64_t>(length));
  const std::int64_t cols = 128 / (length % 2 == 0 ? 2 : 1);
  if (kernel == "allgather_matmul") {
    call->set(launch_allgather_matmul(call->fill(DType::bf16, {rows, 4}, length),
                                      call->fill(DType::bf16, {4 * length, 4}, length), rings,
                                      with<AllgatherMatmulOptions>(o)));
  } else if (kernel == "allgather_matmul_rows") {
    call->set(launch_allgather_matmul_rows(call->fill(DType::f32, {16, 128}, length),
                                           call->fill(DType::f32, {128, cols}, length), rings,
                                           with<AllgatherRowsOptions>(o)));
  } else if (kernel == "matmul_reduce_scatter") {
    auto own = with<MatmulReduceScatterOptions>(o);
    own.bm = 2, own.bn = own.bk = 4;
    call->set(launch_matmul_reduce_scatter(call->fill(DType::f32, {4 * length, 4}, length),
                                           call->fill(DType::f32, {4, 4}, length), rings, own));
  } else if (kernel == "right_permute") {
    call->set(launch_right_permute(call->fill(DType::f32, {rows, 4}, length), rings,
                                   with<RightPermuteOptions>(o)));
  } else if (kernel.starts_with("ring_all_gather")) {
    auto own = with<AllGatherOptions>(o);
    own.halves = kernel.ends_with("halves");
    call->set(launch_all_gather(call->fill(DType::f32, {rows, 4}, length), rings, own));
  } else if (kernel == "ring_all_reduce") {
    call->set(launch_all_reduce(call->fill(DType::f32, {rows, 4}, length), rings,
                                with<ReduceOptions>(o)));
  } else if (kernel == "ring_reduce_scatter") {
    call->set(launch_reduce_scatter(call->fill(DType::f32, {rows * length, 4}, length), rings,
                                    with<ReduceOptions>(o)));
  } else {
    // Sizes with an empty group for every device.
    std::vector<std::vector<std::int64_t>> sizes(static_cast<std::size_t>(length));
    for (auto& own : sizes)
      for (std::int64_t g = 0; g < 2 * length; ++g)
        own.push_back(g == 1 ? 0 : (g + static_cast<std::int64_t>(&own - sizes.data())) % 3);
    Tensors& tables = call->operands.emplace_back();
    for (const auto& own : sizes) {
      tables.emplace_back(DType::i32, Shape{2 * length});
      for (std::int64_t g = 0; g < 2 * length; ++g)
        tables.back().set(g, static_cast<double>(own[static_cast<std::size_t>(g)]));
    }
    const std::int64_t all_rows = 4 * length;
    const Tensors& rhs = call->fill(DType::f32, {2, 4, 4}, length);
    if (kernel == "ragged_all_to_all") {
      call->set(launch_ragged_all_to_all(call->fill(DType::f32, {all_rows, 4}, length),
                                         call->fill(DType::f32, {all_rows * length, 4}, length),
                                         group_slices(sizes), o));
    } else if (kernel == "ring_of_experts") {
      Tensors& experts = call->operands.emplace_back();
      for (std::int64_t d = 0; d < length; ++d)
        experts.push_back(*random_experts(3, 2, 2 * length, static_cast<std::uint64_t>(d + 1)));
      call->set(launch_ring_of_experts(call->fill(DType::f32, {3, 4}, length), rhs, experts,
                                       call->fill(DType::f32, {3, 2}, length), rings,
                                       with<RingOfExpertsOptions>(o)));
    } else if (kernel == "expert_parallel_gmm") {
      call->set(launch_expert_parallel_matmul(call->fill(DType::f32, {all_rows, 4}, length), rhs,
                                              tables, with<ExpertParallelOptions>(o)));
    } else {
      auto own = with<ShardedGroupedMatmulOptions>(o);
      own.scatter = kernel.ends_with("blocks");
      call->set(launch_sharded_grouped_matmul(call->fill(DType::f32, {all_rows, 4}, 1), rhs,
                                              std::span(tables).first(1), rings, own));
    }
  }
  return call;
}

std::string certified(const Call& call, const RunOptions& run) {
  CollectiveOptions options = call.options;
  options.run.interpreter = &run;
  return collective::certified(*call.launch, options);
}

TEST(CollectiveProtocol, every_kernel_is_proved_for_copies_in_parts_and_any_order) {
  const RunOptions run = mode("eager", DmaOrder::unordered, CopyGranularity::partial);
  for (const char* kernel : kernels_of_one_axis)
    for (const std::int64_t length : {1, 2, 3, 4, 5, 8})
      EXPECT_EQ(certified(*call_of(kernel, length, run), run), "proved")
          << kernel << " on " << length;
}

TEST(CollectiveProtocol, case_21_three_calls_in_a_row_are_proved) {
  const RunOptions run = mode("eager");
  for (const char* kernel : kernels_of_one_axis)
    for (const std::int64_t length : {2, 5})
      EXPECT_EQ(certified(*call_of(kernel, length, run, 3), run), "proved")
          << kernel << " on " << length;
}

// A half of a block, or all of it, may be without rows: its copies do nothing, and nobody waits.
TEST(CollectiveProtocol, one_row_and_no_row_are_proved_in_calls_in_a_row) {
  const RunOptions run = mode("eager");
  for (const char* kernel : {"allgather_matmul", "right_permute", "ring_all_gather",
                             "ring_all_gather_halves", "ring_all_reduce", "ring_reduce_scatter"})
    for (const std::int64_t length : {1, 2, 3, 5})
      for (const std::int64_t rows : {0, 1})
        EXPECT_EQ(certified(*call_of(kernel, length, run, 2, rows), run), "proved")
            << kernel << " on " << length << " with " << rows;
}

TEST(CollectiveProtocol, case_22_one_barrier_is_proved_on_four_devices_and_refuted_on_five) {
  for (const std::int64_t length : {2, 3, 4, 5, 6, 8}) {
    const RunOptions run = mode("eager");
    RightPermuteOptions options = under(RightPermuteOptions{}, run);
    options.calls = 3;
    options.double_barrier = false;
    const Tensors x = made(static_cast<std::size_t>(length), DType::f32, {4, 8}, FillRole::lhs,
                           Fill::integers, 1, 5);
    const std::string verdict =
        collective::certified(launch_right_permute(x, make_rings(1, length), options), options);
    if (length <= 4) {
      EXPECT_EQ(verdict, "proved") << "ring of " << length;
    } else {
      EXPECT_TRUE(verdict == "race" || verdict == "lifetime") << length << ": " << verdict;
    }
  }
}

// A call of the literal kernel; its values and the verdict of one run.
struct Literal {
  std::string verdict;
  bool is_right = false;
};
Literal literal(std::int64_t length, std::int64_t buffering, const RunOptions& run) {
  AllgatherMatmulOptions options = under(AllgatherMatmulOptions{}, run);
  options.variant = AllgatherMatmulOptions::Variant::literal;
  options.buffering = buffering;
  const auto devices = static_cast<std::size_t>(length);
  const Tensors lhs = made(devices, DType::bf16, {4, 4}, FillRole::lhs, Fill::integers, 64, 1);
  const Tensors rhs =
      made(devices, DType::bf16, {4 * length, 4}, FillRole::rhs, Fill::integers, 64, 2);
  const Tensor rings = make_rings(1, length);
  const auto launch = launch_allgather_matmul(lhs, rhs, rings, options);
  Literal result{collective::certified(launch, options)};
  if (launch)
    result.is_right =
        check_gathered(lhs, rhs, rings, *launch, {1, false}, collective::how(Fill::integers)).ok;
  return result;
}

TEST(CollectiveProtocol, case_4_the_shared_receive_semaphore_is_reported_in_every_schedule) {
  for (const std::int64_t length : {4, 6, 8}) {
    int right = 0;
    for (int seed = 0; seed < 100; ++seed) {
      const Literal run =
          literal(length, 2, mode("random:" + std::to_string(seed), DmaOrder::unordered));
      EXPECT_EQ(run.verdict, "race") << "ring of " << length << ", seed " << seed;
      right += run.is_right ? 1 : 0;
    }
    EXPECT_GT(right, 0) << "ring of " << length;  // no value gives it away
    for (const std::int64_t buffering : {2, 4, 8}) {
      EXPECT_EQ(literal(length, buffering, mode("eager")).verdict, "race");
      EXPECT_EQ(literal(length, buffering, mode("eager", DmaOrder::fifo)).verdict, "proved");
    }
  }
  EXPECT_EQ(literal(2, 2, mode("eager")).verdict, "proved");
}

// The launch with `from` replaced wherever it stands in its kernel's text or the functions', by
// what one run says.
std::string changed(const Call& call, const RunOptions& run, const std::string& from,
                    const std::string& to, std::string* message = nullptr) {
  int replaced = 0;
  std::vector<std::unique_ptr<Module>> modules;
  for (const std::string& name :
       {call.launch->kernel, std::string("library"), std::string("collectives")}) {
    std::string text = test::read_file("kernels/programs/" + name + ".tsr");
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
      ++replaced;
    }
    auto module = parse(test::source(name + ".tsr", text));
    if (!module) return collective::text(module.diags());
    modules.push_back(std::make_unique<Module>(*std::move(module)));
  }
  if (replaced == 0) return "there is no '" + from + "' in " + call.kernel;
  const auto program =
      instantiate(*modules[0], call.launch->kernel, call.launch->settings,
                  {modules[1].get(), modules[2].get()}, {.calls = call.launch->calls});
  if (!program) return collective::text(program.diags());
  Certifier certifier(CopyGranularity::partial, /*budget=*/1 << 20);
  RunOptions observed = run;
  observed.observers.push_back(&certifier);
  DeviceOptions options = call.options.run;
  options.interpreter = &observed;
  const auto device = find_device("interpreter");
  const auto report = (*device)->run(*program, call.launch->devices, options);
  if (!report) return collective::text(report.diags());
  const Certificate& certificate = certifier.certificate();
  if (certificate.findings.empty()) return std::string(name(certificate.verdict));
  if (message != nullptr) *message = render(certificate.findings.front());
  return std::string(name(certificate.findings.front().kind));
}

TEST(CollectiveProtocol, case_23_all_gathers_need_a_receive_semaphore_for_each_hop) {
  const RunOptions run = mode("eager");
  const auto verdict = [&](const char* kernel, std::int64_t length, const char* from,
                           const char* to, std::string* message = nullptr) {
    return changed(*call_of(kernel, length, run), run, from, to, message);
  };
  for (const std::int64_t length : {2, 3, 5, 8}) {
    const std::string expected = length == 2 ? "proved" : "race";
    EXPECT_EQ(verdict("ring_all_gather", length, "arrived[i]", "arrived[0]"), expected) << length;
    for (const char* side : {"RIGHT", "LEFT"}) {
      const std::string from = std::string("arrived[") + side + ", i]";
      const std::string to = std::string("arrived[") + side + ", 0]";
      EXPECT_EQ(verdict("ring_all_gather_halves", length, from.c_str(), to.c_str()), expected)
          << length << side;
    }
  }
  std::string message;
  verdict("ring_all_gather", 3, "arrived[i]", "arrived[0]", &message);
  EXPECT_NE(message.find("ring_all_gather.tsr:16"), std::string::npos) << message;
  EXPECT_NE(message.find("note: "), std::string::npos) << message;
}

// One thing taken out of a kernel, and what comes of it: a race or what is left over.
TEST(CollectiveProtocol, case_23_each_wait_that_is_taken_out_is_missed) {
  struct Removed {
    const char* kernel;
    const char* from;
    const char* to;
    std::string kind;
  };
  const Removed all[] = {
      // wait_recv
      {"right_permute", "  wait arrived for out\n", "", "unwaited_dma"},
      {"ring_all_gather", "    wait arrived[i] for x\n", "", "uninitialised_read"},
      {"ring_all_reduce", "    wait arrived for x\n", "", "semaphore_leak"},
      {"allgather_matmul_rows", "        wait arrived[side, hop] for gathered[0, 0 +: half, :]\n",
       "", "uninitialised_read"},
      {"ragged_all_to_all",
       "  for i in slices { wait arrived[i] for out[0 +: recv_sizes[i] max "
       "out_rows, :] }\n",
       "", "unwaited_dma"},
      // wait_send, before the source is written over
      {"allgather_matmul", "trace 10 \"Send left\" { wait sent[LEFT] for shard[now, LEFT, :, :] }",
       "", "unwaited_dma"},
      {"ring_all_reduce", "    wait sent for x\n", "", "semaphore_leak"},
      {"matmul_reduce_scatter", "        wait sent[side] for partial[0, :, :]\n", "",
       "unwaited_dma"},
      // half the bytes, and the other half when it is too late
      {"right_permute", "wait arrived for out", "wait arrived for out[0 +: rows / 2, :]",
       "semaphore_leak"},
      {"ring_all_gather", "    wait arrived[i] for x\n",
       "    wait arrived[i] for x[0 +: rows / 2, :]\n", "semaphore_leak"},
      {"allgather_matmul",
       "trace 10 \"Recv right\" { wait arrived[RIGHT, s] for shard[now, RIGHT, :, :] }",
       "trace 10 \"Recv right\" { wait arrived[RIGHT, s] for shard[now, RIGHT, 0 +: rows / 2, :] }",
       "semaphore_leak"},
  };
  for (const Removed& one : all) {
    const RunOptions run = mode("random:7", DmaOrder::unordered, CopyGranularity::partial);
    std::string message;
    const std::string kind = changed(*call_of(one.kernel, 4, run), run, one.from, one.to, &message);
    EXPECT_EQ(kind, one.kind) << one.kernel << " without '" << one.from << "'";
    // Two accesses, or how much is left.
    EXPECT_TRUE(message.find("note: ") != std::string::npos ||
                message.find("bytes") != std::string::npos)
        << message;
  }
}

// The bytes of a wait that is too short are all taken by the end: only the reads between show it.
TEST(CollectiveProtocol, case_23_half_the_bytes_before_and_half_after_the_use_is_a_race) {
  const RunOptions run = mode("eager", DmaOrder::unordered, CopyGranularity::partial);
  const auto call = call_of("ring_all_gather", 4, run);
  EXPECT_EQ(changed(*call, run, "    wait sent for x\n    wait arrived[i] for x\n",
                    "    wait arrived[i] for x[0 +: rows / 2, :]\n    wait sent for x\n"
                    "    if i > 0 { wait arrived[i - 1] for x[rows / 2 +: rows / 2, :] }\n"
                    "    if i + 2 == length { wait arrived[i] for x[rows / 2 +: rows / 2, :] }\n"),
            "race");
}

// Blocks of 512 x 512 in hbm, added tile by tile of 128 x 128.
TEST(CollectiveProtocol, case_10_a_reduce_scatter_with_an_inner_pipeline) {
  const RunOptions run = mode("random:1");
  const ReduceOptions options = under(ReduceOptions{}, run);
  const Tensor rings = make_rings(1, 8);
  const Tensors x = made(8, DType::f32, {512 * 8, 512}, FillRole::lhs, Fill::uniform, 8, 1);
  const auto launch = launch_reduce_scatter(x, rings, options);
  collective::run_clean(launch, options);
  if (HasFatalFailure()) return;
  CheckOptions sampled;
  sampled.check = Check::sample;
  const Verdict verdict = check_reduce_scattered(x, rings, *launch, sampled);
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_LE(verdict.max_abs_error, 1e-5);
}

// The finding names the device that went wrong; the others, who wait for it, are no finding.
TEST(CollectiveProtocol, case_13_the_device_that_goes_wrong_is_named) {
  for (const std::string& schedule : sample_schedules(1)) {
    const auto program =
        test::program(test::read_file("tests/findings/bad_out_of_bounds_before_a_barrier.tsr"));
    ASSERT_TRUE(program);
    Tensors x, out;
    std::vector<DeviceBinding> bindings(8);
    for (std::size_t d = 0; d < 8; ++d) {
      x.emplace_back(DType::f32, Shape{8, 128});
      out.emplace_back(DType::f32, Shape{8, 128});
    }
    for (std::size_t d = 0; d < 8; ++d) bindings[d] = {{"x", &x[d]}, {"o", &out[d]}};
    const RunOptions run = mode(schedule);
    const auto options = under(CollectiveOptions{}, run);
    const auto device = find_device("interpreter");
    const auto report = (*device)->run(*program, bindings, options.run);
    ASSERT_TRUE(report) << collective::text(report.diags());
    const std::vector<Finding>& findings = report->findings;
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].kind, FindingKind::out_of_bounds);
    EXPECT_EQ(findings[0].at.device, 0);
    EXPECT_EQ(findings[0].at.agent, "dev0.core0");
    EXPECT_EQ(findings[0].message, "read of x[100 .. 101, 0 .. 128] leaves x[8, 128]");
  }
}

}  // namespace
}  // namespace tessera
