// Concurrent iterations of parallel loops: proofs hold in every schedule, and some schedule shows
// each refuted property.
#include "interp/machine/loop_workers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/certificate/certifier.h"
#include "devices/interpreter/interpreter_device.h"
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

Program per_point(const std::string& text) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags())) << text;
  return *expand(*program, {.per_point = true});
}

RunResult outcome(const Program& program, RunOptions options) {
  options.record.results = true;
  Operands operands(program, options.machine.devices);
  return testing::run_ok(program, operands, options);
}

struct Case {
  const char* name;
  int devices;
  const char* text;
};

// Loops with the verdicts any order and any split.
const Case independent[] = {
    {"blocks", 1, R"(
kernel blocks()
  in  a: f32[16, 256] hbm
  out o: f32[16, 256] hbm
{
  pipeline i in 4 parallel, j in 2 parallel {
    window x = a[i * 4 +: 4, j * 128 +: 128] depth 2
    window y = o[i * 4 +: 4, j * 128 +: 128] depth 2
    y = x * 2
  }
}
)"},
    {"sums", 1, R"(
kernel sums()
  in  a: f32[16, 512] hbm
  out o: f32[16, 128] hbm
  tile acc: f32[4, 128]
{
  pipeline i in 4 parallel, s in 4 {
    window x = a[i * 4 +: 4, s * 128 +: 128] depth 3
    window y = o[i * 4 +: 4, :] depth 2
    if s == 0 { acc = 0 }
    acc += x
    if s == 3 { y = acc }
  }
}
)"},
    {"shared_block", 1, R"(
kernel shared_block()
  in  a: f32[16, 128] hbm
  out o: f32[16, 128] hbm
{
  pipeline i in 4 parallel {
    window x = a[i * 4 +: 4, :]
    window w = o[i / 2 * 8 +: 8, :]
    w[i mod 2 * 4 +: 4, :] = x
  }
}
)"},
    {"scratch_twice", 1, R"(
kernel scratch_twice()
  in   a: f32[8, 128] hbm
  out  o: f32[8, 128] hbm
  vmem x: f32[1, 128]
  smem t: i64[4]
{
  for round in 2 {
    for i in 4 parallel {
      for z in 4 { t[z] = i * 4 + z }
      copy a[4 * round + i +: 1, :] -> x
      x += x
      copy x -> o[4 * round + t[0] / 4 +: 1, :]
    }
  }
}
)"},
    {"waited_after", 1, R"(
kernel waited_after()
  in   a: f32[4, 128] hbm
  out  o: f32[4, 128] hbm
  vmem x: f32[4, 128]
  sem  d: bytes
  sem  c: count
{
  copy a -> x
  for i in 4 parallel {
    start x[i, :] -> o[i, :], d
    signal c on device, 1
  }
  wait c, 4
  wait d for x
}
)"},
    {"adds", 1, R"(
kernel adds()
  in   a: f32[4, 128] hbm
  out  o: f32[1, 128] hbm
  hbm  s: f32[128]
  sem  d: bytes
{
  copy a[0, :] -> s
  for i in 4 parallel {
    start a[i, :] -> s, d add
    wait d for s
  }
  copy s -> o[0, :]
}
)"},
    {"neighbours", 2, R"(
kernel neighbours()
  in   a: f32[4, 128] hbm
  out  o: f32[4, 128] hbm
  vmem x: f32[4, 128]
  sem  sent: bytes
  sem  arrived[4]: bytes
{
  for i in 4 parallel {
    start a[i, :] -> (device + 1) mod devices: x[i, :], sent, arrived[i]
    wait sent for a[i, :]
  }
  for i in 4 { wait arrived[i] for x[i, :] }
  copy x -> o
}
)"},
    {"nested", 1, R"(
kernel nested()
  in   a: f32[8, 128] hbm
  out  o: f32[8, 128] hbm
  vmem x: f32[1, 128]
{
  for i in 4 parallel {
    copy a[2 * i +: 1, :] -> x
    for j in 2 parallel {
      copy x -> o[2 * i + j +: 1, :]
    }
  }
}
)"},
};

class Independent : public ::testing::TestWithParam<Case> {};

TEST_P(Independent, SameResultsInEverySchedule) {
  const Program program = per_point(GetParam().text);
  for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
    RunOptions options{.machine = {.devices = GetParam().devices},
                       .copies = {.granularity = granularity}};
    const RunResult alone = outcome(program, options);
    ASSERT_TRUE(alone.findings.empty()) << testing::text(alone);
    for (const int cores : {1, 2, 3, 4}) {
      options.machine.loop_workers = cores;
      std::vector<std::string> schedules = sample_schedules(6);
      for (int seed = 4; seed <= 6; ++seed) schedules.push_back(fmt::format("random:{}", seed));
      for (const std::string& schedule : schedules) {
        options.schedule = schedule;
        options.record.schedule = true;
        const RunResult split = outcome(program, options);
        EXPECT_TRUE(split.findings.empty()) << cores << " " << schedule << testing::text(split);
        EXPECT_TRUE(split.is_complete);
        EXPECT_EQ(split.results, alone.results) << cores << " " << schedule;
        options.schedule = split.schedule;
        const RunResult again = outcome(program, options);
        EXPECT_EQ(again.trace_hash, split.trace_hash) << cores << " " << schedule;
        EXPECT_EQ(again.schedule, split.schedule);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LoopWorkers, Independent, ::testing::ValuesIn(independent),
                         [](const auto& info) { return std::string(info.param.name); });

// True if some schedule has another outcome than the iterations in order.
bool is_contradicted(const std::string& text, int cores) {
  const Program program = per_point(text);
  const RunResult alone = outcome(program, {});
  for (int seed = 1; seed <= 20; ++seed) {
    const RunResult split = outcome(
        program, {.machine = {.loop_workers = cores}, .schedule = fmt::format("random:{}", seed)});
    if (!split.findings.empty() || split.results != alone.results) return true;
  }
  return false;
}

TEST(LoopWorkers, LostAdditionShows) {
  const char* text = R"(
kernel lost()
  in   a: f32[4, 128] hbm
  out  o: f32[1, 128] hbm
  vmem x: f32[1, 128]
  vmem y: f32[1, 128]
{
  x = 0
  copy x -> o
  for i in 4 parallel {
    copy a[i +: 1, :] -> y
    copy o -> x
    x += y
    copy x -> o
  }
}
)";
  EXPECT_FALSE(is_contradicted(text, 1));
  EXPECT_TRUE(is_contradicted(text, 2));
}

TEST(LoopWorkers, ScratchIsUndefinedAfterTheLoop) {
  const RunResult result = outcome(per_point(R"(
kernel left()
  in   a: f32[4, 128] hbm
  out  o: f32[1, 128] hbm
  vmem x: f32[4, 128]
{
  x = 0
  for i in 2 parallel {
    copy a[i +: 1, :] -> x[i +: 1, :]
  }
  copy x[2 +: 1, :] -> o
  copy x[1 +: 1, :] -> o
}
)"),
                                   {.machine = {.loop_workers = 2}});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, FindingKind::uninitialised_read);
  EXPECT_EQ(result.findings[0].at.loc.line, 12);
}

TEST(LoopWorkers, ObserversThatCannotFollowAreRefused) {
  Certifier certifier(CopyGranularity::whole, 1000, false, Reads::unsettled);
  const Program program = per_point(independent[0].text);
  Operands operands(program, 1);
  RunOptions options{.machine = {.loop_workers = 2}};
  options.observers = {&certifier};
  EXPECT_FALSE(run(program, operands.bindings(), options));
}

}  // namespace
}  // namespace tessera
