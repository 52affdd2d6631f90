// Debug statements do not change a program: its steps, events, schedules, verdicts, modelled time
// and expanded form are the same without them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "analysis/timeline/timing.h"
#include "core/passes/purpose.h"
#include "devices/profiles/profile.h"
#include "interp/observe/debug_sink.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

bool is_debug_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return false;
  line.remove_prefix(first);
  return line.starts_with("print") || line.starts_with("assert") || line.starts_with("breakpoint");
}

// Returns the text with empty lines instead of debug statements, so that line numbers do not
// change.
std::string without_debug_lines(const std::string& text) {
  std::istringstream in(text);
  std::string kept;
  for (std::string line; std::getline(in, line);) kept += is_debug_line(line) ? "\n" : line + "\n";
  return kept;
}

class Heard final : public DebugSink {
 public:
  bool accepts(const Program&, StmtId) override { return true; }
  void receive(const Program&, const DebugOutput& output) override { texts.push_back(output.text); }
  std::vector<std::string> texts;
};

Program expanded(const std::string& text) {
  const auto structured = test::program(text);
  EXPECT_TRUE(structured) << test::messages(structured.diags());
  auto program = expand(*structured);
  EXPECT_TRUE(program) << test::messages(program.diags());
  return *std::move(program);
}

// Returns properties of a run that do not depend on debug statements.
std::string course(const Program& program, int devices, const std::string& schedule,
                   DebugSink* sink) {
  Operands operands(program, devices);
  TimingObserver timing(find_profile(default_profile)->rates);
  RunOptions options{
      .machine = {.devices = devices}, .schedule = schedule, .record = {.schedule = true}};
  options.machine.profile = find_profile(default_profile)->machine;
  options.observers = {&timing};
  options.debug_sink = sink;
  const auto result = run(program, operands.bindings(), options);
  EXPECT_TRUE(result);
  if (!result) return {};
  std::string text =
      fmt::format("{:x} {} steps {} copies {} {} {} findings {:.6g} s", result->trace_hash,
                  result->stats.steps, result->stats.dmas, result->schedule, result->is_complete,
                  result->findings.size(), timing.timing().seconds);
  CertifyOptions how{.run = options};
  how.run.observers.clear();
  how.run.debug_sink = nullptr;
  const auto certificate = certify(program, operands.bindings(), how);
  EXPECT_TRUE(certificate);
  if (!certificate) return text;
  const Statistics& s = certificate->statistics;
  return text + fmt::format(" {} {} {} {}", name(certificate->verdict), s.agents, s.semaphores,
                            s.transfers);
}

void expect_same(const std::string& text, int devices, std::size_t heard_at_least) {
  SCOPED_TRACE(text);
  const Program with = expanded(text), bare = expanded(without_debug_lines(text));
  EXPECT_TRUE(has_debug_statements(with));
  EXPECT_EQ(print(without(with, Purpose::assertion)), print(bare));
  for (const char* schedule : {"eager", "lazy", "random:7", "pct:3:2"}) {
    SCOPED_TRACE(schedule);
    Heard heard;
    EXPECT_EQ(course(with, devices, schedule, &heard), course(bare, devices, schedule, nullptr));
    EXPECT_GE(heard.texts.size(), heard_at_least);
    EXPECT_EQ(course(with, devices, schedule, nullptr), course(bare, devices, schedule, nullptr));
  }
}

TEST(DebugStatements, ChangeNothingInAPipeline) {
  expect_same(R"(kernel k(m = 20, n = 16; t = 8)
  in  a: f32[m, n] hbm
  in  u: i32[4] smem
  out o: f32[m, n] hbm
  vmem sum: f32[t, n]
{
  sum = 0
  print "begin", u[0], u[1] + u[2], u
  pipeline i in tiles(m, t), j in tiles(n, t) {
    window x = a[i * t +: t, j * t +: t] pad 0
    window y = o[i * t +: t, j * t +: t]
    print x, i, j, x[0, 0], x[i +: 1, :], sum[:, 0]
    assert i * 2 + j < 100 + u[j], "in range"
    breakpoint if u[i] > 2
    y = x + 1
  }
}
)",
              1, 7);
}

TEST(DebugStatements, ChangeNothingBetweenDevices) {
  expect_same(R"(kernel k(rows = 8)
  in  a: f32[rows, 16] hbm
  in  u: i32[4] smem
  out o: f32[rows, 16] hbm
  smem t: i64[4]
  sem sent: bytes;  sem arrived: bytes;  sem free: count
{
  const left = (device - 1) mod devices, right = (device + 1) mod devices
  neighbour_barrier(left, right, 0)
  total = u[0] + u[3]
  print "here", total, sent, arrived, o[0, :]
  start a -> right: o, sent, arrived
  print o[0, 0]
  wait sent for a
  assert total >= u[0], "sums grow"
  wait arrived for o
  for i in 4 {
    t[i] = i + u[i]
    assert t[i] >= u[i]
    print t, t[i], u[(i + 1) mod 4]
  }
  if t[1] > 3 { signal free on right, 1 } else { signal free on right, 1 }
  breakpoint
  wait free, 1
}
)",
              3, 15);
}

TEST(DebugStatements, ChangeNothingInParallelLoops) {
  expect_same(R"(kernel k(n = 4)
  in  a: f32[n, 16] hbm
  in  u: i32[n] smem
  out o: f32[n, 16] hbm
  out p: f32[n, 16] hbm
{
  for i in n parallel {
    print i, u[i]
    copy a[i] -> o[i]
    assert u[i] >= 0
  }
  breakpoint if u[0] == 9
  assert u[1] >= 0
  for i in n parallel { copy a[i] -> p[i] }
}
)",
              1, 4);
}

// A branch that only contains debug statements counts as one, including the reads of its condition.
TEST(DebugStatements, BranchesAroundThemAreNoPartOfTheProgram) {
  const std::string copy = "  copy a -> o\n}\n";
  const std::string head =
      "kernel k()\n  in a: f32[16] hbm\n  in u: i32[4] smem\n  out o: f32[16] hbm\n{\n";
  const Program with = expanded(
      head + "  for i in 4 {\n    if u[i] > 1 { print i } else { if u[0] { breakpoint } }\n  }\n" +
      copy);
  const Program bare = expanded(head + copy);
  EXPECT_EQ(print(without(with, Purpose::show)), print(bare));
  EXPECT_EQ(course(with, 1, "eager", nullptr), course(bare, 1, "eager", nullptr));
}

std::vector<Finding> verified(const std::string& body) {
  const Program program = expanded(
      "kernel k()\n  in u: i32[4] hbm\n  out o: i32[4] hbm\n  smem t: i32[4]\n  sem s: bytes\n{\n" +
      body + "}\n");
  Operands operands(program, 1);
  CertifyOptions how;
  how.run.machine.profile = find_profile(default_profile)->machine;
  const auto certificate = certify(program, operands.bindings(), how);
  EXPECT_TRUE(certificate);
  return certificate ? certificate->findings : std::vector<Finding>{};
}

// Reads of a print may be concurrent with writes; reads of an assertion may not.
TEST(DebugStatements, OnlyAnAssertionRaces) {
  const auto shown =
      verified("  start u -> t, s\n  print t, t[1] + 1\n  wait s for t\n  copy t -> o\n");
  EXPECT_TRUE(shown.empty());
  const auto held = verified(
      "  start u -> t, s\n  wait s for t\n  start t -> o, s\n  assert t[1] == 1\n"
      "  wait s for o\n");
  EXPECT_TRUE(held.empty());
  const auto racing = verified(
      "  copy u -> t\n  start u -> t, s\n  assert t[1] == 1\n  wait s for t\n  copy t -> o\n");
  ASSERT_FALSE(racing.empty());
  EXPECT_EQ(racing.front().kind, FindingKind::race);
  EXPECT_NE(racing.front().message.find("t[1]"), std::string::npos) << racing.front().message;
}

TEST(DebugStatements, AnAssertionReadsWhatIsDefined) {
  const auto found = verified("  assert t[2] == 1\n  copy u -> o\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, FindingKind::uninitialised_read);
}

// Printing a count takes no step. An assertion on a count is a step, and prevents a proof for all
// schedules.
TEST(DebugStatements, ShowCountsWithoutAStep) {
  const std::string body = "  signal c, 2\n  SHOWN\n  wait c, 2\n  copy a -> o\n}\n";
  const std::string head =
      "kernel k()\n  in a: f32[16] hbm\n  out o: f32[16] hbm\n"
      "  sem c: count\n{\n";
  const auto with = [&](const std::string& shown) {
    std::string text = body;
    return expanded(head + text.replace(text.find("SHOWN"), 5, shown));
  };
  const std::string bare = print(with(""));
  for (const char* shown : {"print read(c)", "breakpoint if read(c) == 2",
                            "if read(c) > 1 { print \"two\", read(c) + 1 }"})
    EXPECT_EQ(print(without(with(shown), Purpose::show)), bare) << shown;
  EXPECT_NE(print(without(with("assert read(c) == 2"), Purpose::assertion)), bare);
  const Program program = with("print \"now\", read(c) + 1");
  Operands operands(program, 1);
  Heard heard;
  RunOptions options;
  options.machine.profile = find_profile(default_profile)->machine;
  options.debug_sink = &heard;
  ASSERT_TRUE(run(program, operands.bindings(), options));
  EXPECT_EQ(heard.texts, std::vector<std::string>{"now read(c) + 1 = 3"});
}

TEST(DebugStatements, ShowUnknownValuesAsSuch) {
  const Program program = expanded(
      "kernel k()\n  out o: i64[2] smem\n  smem t: i64[2]\n{\n  t[1] = 3\n"
      "  print t[0], t[0] + 1, t[1] * 2, t, o\n  o[0] = 1;  o[1] = 2\n"
      "  if t[0] > 1 { print 1 } else { for i in 2 { if i { print 2 } else { print 3 } } }\n"
      "  if t[1] > 9 { print 4 } else { breakpoint if t[0] == 1 }\n}\n");
  Operands operands(program, 1);
  Heard heard;
  RunOptions options;
  options.machine.profile = find_profile(default_profile)->machine;
  options.debug_sink = &heard;
  ASSERT_TRUE(run(program, operands.bindings(), options));
  ASSERT_EQ(heard.texts.size(), 1U);
  EXPECT_TRUE(heard.texts[0].starts_with("t[0] = ?, t[0] + 1 = ?, t[1] * 2 = 6, t[0 .. 2] i64, "))
      << heard.texts[0];
}

}  // namespace
}  // namespace tessera
