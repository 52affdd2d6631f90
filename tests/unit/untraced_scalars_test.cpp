// Untraced scalars: loads and stores that take no steps. Verdicts and findings are the same.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/planning/find_untraced_scalars.h"
#include "interp/run.h"
#include "tests/unit/small_program.h"

namespace tessera {
namespace {

const std::string header =
    "kernel k()\n  in n: i32[4] smem\n  out o: f32[8, 16] hbm\n  smem c: i32[4]\n"
    "  smem d: i32[2, 3]\n  sem s: bytes\n  vmem v: f32[8, 16]\n{\n";
const std::string footer = "  v = 0\n  copy v -> o\n}\n";

// Returns the mode of the buffer of that name.
UntracedScalars::Mode mode(const Program& program, const std::string& buffer) {
  const UntracedScalars untraced = find_untraced_scalars(program);
  for (const BufferId b : program.buffers.ids())
    if (program.buffers[b].name == buffer) return untraced.mode[b];
  ADD_FAILURE() << buffer;
  return {};
}

TEST(UntracedScalars, are_integers_of_scalar_memory) {
  using Mode = UntracedScalars::Mode;
  const auto program = test::program(
      "kernel k()\n  in n: i32[4] smem\n  in w: f32[4] smem\n  out o: f32[8, 16] hbm\n"
      "  smem c: i32[4]\n  smem p: i32[4]\n  sem s: bytes\n  vmem v: f32[8, 16]\n{\n"
      "  start n -> c, s\n  wait s for c\n"
      "  for i in 4 parallel { p[i] = c[i] }\n" +
      footer);
  ASSERT_TRUE(program) << render(program.diags());
  EXPECT_EQ(mode(*program, "n"), Mode::batched);  // operand of a copy
  EXPECT_EQ(mode(*program, "c"), Mode::batched);
  EXPECT_EQ(mode(*program, "w"), Mode::traced);
  EXPECT_EQ(mode(*program, "p"), Mode::traced);  // stored by points
  EXPECT_EQ(mode(*program, "v"), Mode::traced);
  const auto own = test::program(header + "  c[0] = 1\n" + footer);
  ASSERT_TRUE(own) << render(own.diags());
  EXPECT_EQ(mode(*own, "c"), Mode::untraced);
  EXPECT_EQ(mode(*own, "n"), Mode::untraced);
}

// Expects the same finding, or none, with and without a step for each scalar.
Certificate same_verdicts(const std::string& body) {
  test::SmallProgram program(header + body + footer);
  const Certificate steps = program.verdict(
                        MoveAtOnce{{.memoise_pipelines = true, .batch_control_loads = false}}),
                    untraced = program.verdict(MoveAtOnce{});
  EXPECT_EQ(steps.verdict, untraced.verdict) << body;
  EXPECT_EQ(steps.findings.size(), untraced.findings.size()) << body;
  if (!steps.findings.empty() && !untraced.findings.empty()) {
    EXPECT_EQ(steps.findings.front().kind, untraced.findings.front().kind) << body;
    EXPECT_EQ(steps.findings.front().message, untraced.findings.front().message) << body;
  }
  return untraced;
}

// Control depends on x. The pipeline moves blocks atomically.
const std::string decides =
    "  pipeline i in 1 {\n    window y = o[0 +: 8, :]\n    if x < 0 { y = 1 } else { y = 2 }\n  "
    "}\n";

TEST(UntracedScalars, are_in_races) {
  const std::string start = "  for i in 4 { c[i] = 0 }\n  start n -> c, s\n";
  EXPECT_EQ(same_verdicts(start + "  wait s for c\n  x = c[1]\n" + decides).verdict,
            SchedulesVerdict::proved);
  const Certificate early = same_verdicts(start + "  x = c[1]\n  wait s for c\n" + decides);
  ASSERT_EQ(early.verdict, SchedulesVerdict::refuted);
  EXPECT_EQ(early.findings.front().kind, FindingKind::race);
  // Also next to a copy of other memory.
  const Certificate beside = same_verdicts("  v = 0\n  start n -> c, s\n  x = c[1]\n" + decides +
                                           "  start v -> o, s\n  wait s for c\n  wait s for o\n");
  ASSERT_EQ(beside.verdict, SchedulesVerdict::refuted);
  EXPECT_EQ(beside.findings.front().kind, FindingKind::race);
  // Reads the last elements of two rows, and no others.
  EXPECT_EQ(same_verdicts("  for i in 4 { c[i] = 0 }\n  start n[0 +: 2] -> c[0 +: 2], s\n"
                          "  x = c[2] + c[3]\n  wait s for c[0 +: 2]\n" +
                          decides)
                .verdict,
            SchedulesVerdict::proved);
}

TEST(UntracedScalars, are_defined_inside_and_fit) {
  const auto finding = [](const std::string& body) {
    const Certificate certificate = same_verdicts(body + decides);
    EXPECT_EQ(certificate.verdict, SchedulesVerdict::refuted);
    return certificate.findings.empty() ? FindingKind::race : certificate.findings.front().kind;
  };
  EXPECT_EQ(finding("  c[0] = 1\n  x = c[0] + c[1]\n"), FindingKind::uninitialised_read);
  EXPECT_EQ(finding("  c[0] = 3\n  x = d[c[0] - 1, 0]\n"), FindingKind::out_of_bounds);
  EXPECT_EQ(finding("  d[1, 2] = 5\n  x = d[1, d[1, 2] - 2]\n"), FindingKind::out_of_bounds);
  EXPECT_EQ(finding("  c[0] = 1\n  for i in 40 { c[0] = c[0] * 2 }\n  x = c[0]\n"),
            FindingKind::out_of_bounds);
}

// Records the number of elements of each read of a buffer.
class Reads : public Observer {
 public:
  explicit Reads(std::string buffer) : name_(std::move(buffer)) {}
  void begin(const Program& program, const RunOptions&) override { program_ = &program; }
  void on(const Event& event) override {
    if (event.kind == EventKind::wait) sizes.push_back(0);
    if (event.kind != EventKind::read || event.agent.is_copy()) return;
    if (program_->buffers[event.object.buffer()].name == name_)
      sizes.push_back(event.box->elements());
  }
  std::vector<std::int64_t> sizes;

 private:
  std::string name_;
  const Program* program_ = nullptr;
};

// Returns the sizes of the reads of `c` in a run; 0: a wait.
std::vector<std::int64_t> sizes_of_reads(const std::string& body, bool joins) {
  const auto program = *expand(*test::program(header + body + footer));
  Tensor n(DType::i32, {4}), o(DType::f32, {8, 16});
  const Binding binding{{"n", &n}, {"o", &o}};
  Reads reads("c");
  RunOptions options;
  options.math = Math::none;
  options.observers = {&reads};
  EXPECT_TRUE(run_planned(program, {binding}, options,
                          {.memoise_pipelines = false, .batch_control_loads = joins}));
  return reads.sizes;
}

TEST(UntracedScalars, are_told_before_the_core_synchronises) {
  const std::string body =
      "  for i in 4 { c[i] = 0 }\n  x = c[0] + c[1] + c[2]\n"
      "  if x == 0 { start n -> c, s }\n  wait s for c\n  y = c[0] + c[1] + c[2] + c[3]\n"
      "  if y == 0 { v = 1 }\n";
  EXPECT_EQ(sizes_of_reads(body, false), (std::vector<std::int64_t>{1, 1, 1, 0, 1, 1, 1, 1, 0}));
  // The first read finds the location of the memory.
  EXPECT_EQ(sizes_of_reads(body, true), (std::vector<std::int64_t>{1, 2, 0, 4, 0}));
}

TEST(UntracedScalars, are_told_together_where_copies_of_other_memory_start) {
  const std::string body =
      "  start n -> c, s\n  wait s for c\n  v = 0\n  x = c[0] + c[1]\n"
      "  if x == 0 { start v -> o, s }\n  y = c[2] + c[3]\n  if y == 0 { wait s for o }\n";
  EXPECT_EQ(sizes_of_reads(body, false), (std::vector<std::int64_t>{0, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(sizes_of_reads(body, true), (std::vector<std::int64_t>{0, 1, 3, 0, 0}));
}

}  // namespace
}  // namespace tessera
