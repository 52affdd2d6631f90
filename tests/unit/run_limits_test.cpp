// Limits that end an endless run: a number of steps, or an external request.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "analysis/certificate/certificate.h"
#include "core/report/stop.h"
#include "interp/findings/capacity.h"
#include "interp/observe/observer.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "tests/mutation/mutation_test.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

Program expanded(const std::string& text) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags()));
  return *expand(*program);
}

const std::string endless =
    "kernel k()\n  out o: i64[1] smem\n  sem s: count\n{\n"
    "  for i in 4611686018427387904 {\n    signal s, 1\n    wait s, 1\n  }\n}\n";
const std::string empty_loop = "kernel k()\n{\n  for i in 4611686018427387904 {\n  }\n}\n";
const std::string short_one =
    "kernel k()\n  out o: i64[4] smem\n{\n  for i in 4 {\n    o[i] = i\n  }\n}\n";

// Requests the end of the run after a number of events.
class Asking : public Observer {
 public:
  Asking(std::atomic<bool>& stop, std::int64_t after) : stop_(stop), after_(after) {}
  void on(const Event& /*event*/) override {
    if (--after_ == 0) stop_ = true;
  }

 private:
  std::atomic<bool>& stop_;
  std::int64_t after_;
};

RunResult run_of(const Program& program, const RunOptions& options) {
  Operands operands(program, options.machine.devices);
  auto result = run(program, operands.bindings(), options);
  EXPECT_TRUE(result) << (result ? "" : test::messages(result.diags()));
  return *std::move(result);
}

TEST(run_limits, a_run_takes_as_many_steps_as_it_is_given) {
  const Program program = expanded(endless);
  for (const std::int64_t steps : {2, 1000, 1024, 1025, 70001}) {
    const RunResult result = run_of(program, {.record = {.schedule = true}, .max_steps = steps});
    EXPECT_EQ(result.end, RunEnd::steps);
    EXPECT_EQ(result.stats.steps, steps);
    EXPECT_FALSE(result.is_complete);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.schedule, fmt::format("steps:dev0.core0*{}", steps));
  }
}

TEST(run_limits, a_limit_that_is_not_passed_is_as_none) {
  const Program program = expanded(short_one);
  const RunResult free = run_of(program, {}), limited = run_of(program, {.max_steps = 4});
  EXPECT_EQ(limited.end, RunEnd::program);
  EXPECT_TRUE(limited.is_complete);
  EXPECT_EQ(limited.trace_hash, free.trace_hash);
  EXPECT_EQ(run_of(program, {.max_steps = 3}).end, RunEnd::steps);
}

TEST(run_limits, ops_that_are_no_steps_count_as_well) {
  const RunResult result = run_of(expanded(empty_loop), {.max_steps = 1000});
  EXPECT_EQ(result.end, RunEnd::steps);
  EXPECT_EQ(result.stats.steps, 0);
  EXPECT_GT(result.stats.ops, 1000);
}

TEST(run_limits, a_request_ends_the_run_and_is_no_finding) {
  const Program program = expanded(endless);
  std::atomic<bool> stop = false;
  Asking asking(stop, 5000);
  const StopScope scope(&stop);
  const RunResult result = run_of(program, {.observers = {&asking}});
  EXPECT_EQ(result.end, RunEnd::stop);
  EXPECT_GT(result.stats.steps, 2000);
  EXPECT_LT(result.stats.steps, 20000);
  EXPECT_TRUE(result.findings.empty());
  // If the request precedes the run, the run has no steps.
  EXPECT_EQ(run_of(program, {}).stats.steps, 0);
  EXPECT_EQ(run_of(expanded(empty_loop), {}).end, RunEnd::stop);
}

TEST(run_limits, a_request_to_the_thread_ends_what_it_does) {
  std::atomic<bool> stop = true;
  Tensor tensor(DType::f32, {8});
  {
    const StopScope listens(&stop);
    const StopScope inner(nullptr);
    EXPECT_THROW(fill(tensor, Fill::normal, FillRole::lhs, 1, 0), Interrupted);
    EXPECT_EQ(run_of(expanded(endless), {}).end, RunEnd::stop);
  }
  fill(tensor, Fill::normal, FillRole::lhs, 1, 0);
  EXPECT_EQ(run_of(expanded(short_one), {}).end, RunEnd::program);
}

TEST(run_limits, a_launch_alone_takes_no_step_and_tells_what_does_not_fit) {
  const MachineProfile small{.name = "small", .vmem_bytes = 1024, .semaphores = 4};
  const RunOptions options{.machine = {.profile = small}, .max_steps = 0};
  EXPECT_EQ(run_of(expanded(short_one), options).stats.steps, 0);
  const Program large = expanded("kernel k()\n  sem s[1048576]: count\n{\n  signal s[0], 1\n}\n");
  const RunResult refused = run_of(large, options);
  ASSERT_EQ(refused.findings.size(), 1U);
  EXPECT_EQ(refused.findings[0].kind, FindingKind::capacity);
  const auto excess = launch_excess(large, small);
  ASSERT_TRUE(excess);
  EXPECT_EQ(render(*excess), render(refused.findings[0]));
  EXPECT_EQ(render(*excess), render(run_of(large, {.machine = {.profile = small}}).findings[0]));
  EXPECT_FALSE(launch_excess(large, MachineProfile{.name = "any"}));
}

TEST(run_limits, semaphores_that_nobody_uses_cost_nothing) {
  const Program program = expanded(
      "kernel k()\n  sem s[1048576]: count\n{\n  signal s[1048575], 1\n"
      "  wait s[1048575], 1\n}\n");
  Operands operands(program, 1);
  // A profile without a limit. All cells would need about 60 MB per core.
  const auto c = certify(program, operands.bindings(), {});
  ASSERT_TRUE(c) << test::messages(c.diags());
  EXPECT_EQ(c->verdict, SchedulesVerdict::proved);
}

TEST(run_limits, a_budget_ends_the_run_that_is_recorded) {
  Operands operands(expanded(endless), 1);
  for (const std::string& text : {endless, empty_loop}) {
    const Program program = expanded(text);
    const auto c = certify(program, operands.bindings(), {.budget = 1000});
    ASSERT_TRUE(c) << test::messages(c.diags());
    EXPECT_EQ(c->verdict, SchedulesVerdict::explored);
    EXPECT_EQ(c->why_explored(), "budget");
    EXPECT_NE(c->end, RunEnd::program);
    EXPECT_LE(c->run.stats.steps, 1000);
    EXPECT_EQ(c->schedules(), 1);
  }
}

TEST(run_limits, an_analysis_is_interrupted_without_losing_the_findings_of_the_run) {
  const Program program =
      expanded("kernel k()\n  sem s: count\n{\n  signal s, 1\n}\n");  // a leftover
  std::atomic<bool> stop = false;
  class AtEnd : public Observer {
   public:
    explicit AtEnd(std::atomic<bool>& stop) : stop_(stop) {}
    void on(const Event&) override {}
    void end(RunResult&) override { stop_ = true; }

   private:
    std::atomic<bool>& stop_;
  } at_end(stop);
  Operands operands(program, 1);
  CertifyOptions options;
  options.run.observers = {&at_end};  // its end() is called before the analysis
  const StopScope scope(&stop);
  const auto c = certify(program, operands.bindings(), options);
  ASSERT_TRUE(c) << test::messages(c.diags());
  EXPECT_EQ(c->verdict, SchedulesVerdict::refuted);
  EXPECT_EQ(c->end, RunEnd::stop);
  ASSERT_EQ(c->findings.size(), 1U);
  EXPECT_EQ(c->findings[0].kind, FindingKind::semaphore_leak);
}

// The request arrives after the run. The record is complete at that time, and is discarded.
TEST(run_limits, an_analysis_that_is_interrupted_knows_no_protocol) {
  const Program program = expanded(
      "kernel k()\n  in a: f32[4, 128] hbm\n  out o: f32[4, 128] hbm\n{\n  pipeline i in 4 {\n"
      "    window x = a[i +: 1, :]\n    window y = o[i +: 1, :]\n    y = x\n  }\n}\n");
  std::atomic<bool> stop = false;
  class AtEnd : public Observer {
   public:
    explicit AtEnd(std::atomic<bool>& stop) : stop_(stop) {}
    void on(const Event&) override {}
    void end(RunResult&) override { stop_ = true; }

   private:
    std::atomic<bool>& stop_;
  } at_end(stop);
  Operands operands(program, 1);
  CertifyOptions options;
  options.run.observers = {&at_end};
  const StopScope scope(&stop);
  const auto c = certify(program, operands.bindings(), options);
  ASSERT_TRUE(c) << test::messages(c.diags());
  EXPECT_EQ(c->end, RunEnd::stop);
  EXPECT_EQ(c->statistics.protocol_hash, 0U);
}

TEST(run_limits, an_operation_that_was_ended_has_no_result) {
  const Tensor lhs(DType::f32, {8, 8}), rhs(DType::f32, {1, 8, 8});
  Tensor sizes(DType::i32, {1});
  sizes.set(0, 8);
  const auto code = [&](const RunOptions& run) {
    GroupedMatmulOptions options;
    options.device = "interpreter";
    options.run.interpreter = &run;
    const auto out = grouped_matmul(lhs, rhs, sizes, options);
    EXPECT_FALSE(out);
    return out ? ErrorCode::runtime : out.diags().front().code;
  };
  std::atomic<bool> stop = true;
  EXPECT_EQ(code({.max_steps = 1}), ErrorCode::environment);
  const StopScope scope(&stop);
  EXPECT_EQ(code({}), ErrorCode::interrupted);
}

TEST(run_limits, no_other_schedule_is_tried_after_a_request) {
  // Reads a count without waiting: one run does not decide.
  const Program program = expanded(
      "kernel k()\n  out o: i64[1] smem\n  sem s: count\n{\n  signal s, 1\n"
      "  o[0] = read(s)\n  wait s, 1\n}\n");
  std::atomic<bool> stop = true;
  Operands operands(program, 1);
  CertifyOptions options;
  const StopScope scope(&stop);
  const auto c = certify(program, operands.bindings(), options);
  ASSERT_TRUE(c) << test::messages(c.diags());
  EXPECT_EQ(c->verdict, SchedulesVerdict::explored);
  EXPECT_EQ(c->why_explored(), "interrupted");
  EXPECT_EQ(c->schedules(), 1);
}

}  // namespace
}  // namespace tessera
