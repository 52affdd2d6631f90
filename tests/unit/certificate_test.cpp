// Proofs for all schedules from one run: the verdict and races do not depend on the recorded
// schedule or the algorithm, and two runs show every race.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analysis/certificate/certifier.h"
#include "interp/schedule/random.h"
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

Program expanded(const std::string& text) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags())) << text;
  return *expand(*program);
}

std::string kinds(const Certificate& c) {
  std::map<std::string, int> found;
  for (const Finding& f : c.findings) ++found[std::string(name(f.kind))];
  std::string text(name(c.verdict));
  for (const auto& [kind, times] : found) text += fmt::format(" {} x {}", times, kind);
  return text;
}

std::string text_of(const RaceAnalysis& analysis, const Record& record) {
  std::string text;
  for (const Race& race : analysis.races) {
    const auto line = [&](EventId e) {
      return std::pair(record.events[e].statement.index, record.events[e].access);
    };
    const auto [a, b] = std::minmax({line(race.x), line(race.y)});
    text += fmt::format("{}.{} {}.{} x {}\n", a.first, static_cast<int>(a.second), b.first,
                        static_cast<int>(b.second), race.pairs);
  }
  return text;
}

// Three devices, each with a few accesses, signals, waits and copies.
std::string random_program(std::uint64_t seed) {
  SplitMix random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  std::string text =
      "kernel random()\n  vmem t: f32[2, 8]\n  vmem r: f32[1, 8]\n  sem s: count\n"
      "  sem sent: bytes\n  sem arrived: bytes\n{\n";
  for (int device = 0; device < 3; ++device) {
    text += fmt::format("  if device == {} {{\n", device);
    for (int i = 0; i < 5; ++i) {
      const int kind = below(20), row = below(2), to = below(3);
      if (kind < 3) {
        text += fmt::format("    r = t[{} +: 1, :]\n", row);
      } else if (kind < 6) {
        text += fmt::format("    t[{} +: 1, :] = {}\n", row, i);
      } else if (kind < 11) {
        text += fmt::format("    signal s on {}, {}\n", to, 1 + below(2));
      } else if (kind < 14) {
        text += fmt::format("    wait s, {}\n", 1 + below(2));
      } else if (kind < 16) {
        text += fmt::format("    wait arrived, {}\n", 16 * (1 + below(3)));
      } else if (kind < 18) {
        text +=
            fmt::format("    start t[{}, :] -> {}: t[{}, :], sent, arrived\n", row, to, 1 - row);
      } else {
        text += "    wait sent, 32\n";
      }
    }
    text += "  }\n";
  }
  return text + "}\n";
}

// Two devices of two cores, each core with a few copies, signals and waits. h belongs to the
// device, t to the core.
std::string random_program_of_cores(std::uint64_t seed) {
  SplitMix random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  std::string text =
      "kernel random()\n  hbm h: f32[3, 8]\n  vmem t: f32[2, 8]\n  sem s: count\n"
      "  sem landed: bytes\n  sem sent: bytes\n  sem arrived: bytes\n{\n";
  for (int agent = 0; agent < 4; ++agent) {
    text += fmt::format("  if device == {} and core == {} {{\n", agent / 2, agent % 2);
    for (int i = 0; i < 6; ++i) {
      const int kind = below(20), row = below(3), tile = below(2), to = below(2), core = below(2);
      if (kind < 3) {
        text += fmt::format("    start h[{}, :] -> t[{}, :], landed\n", row, tile);
      } else if (kind < 6) {
        text += fmt::format("    start t[{}, :] -> h[{}, :], landed\n", tile, row);
      } else if (kind < 8) {
        text += fmt::format("    wait landed, {}\n", 32 * (1 + below(2)));
      } else if (kind < 12) {
        text += fmt::format("    signal s on {} core {}, {}\n", to, core, 1 + below(2));
      } else if (kind < 15) {
        text += fmt::format("    wait s, {}\n", 1 + below(2));
      } else if (kind < 17) {
        text += fmt::format("    start t[{}, :] -> {} core {}: h[{}, :], sent, arrived\n", tile, to,
                            core, row);
      } else if (kind < 18) {
        text += fmt::format("    wait arrived, {}\n", 32 * (1 + below(2)));
      } else {
        text += "    wait sent, 32\n";
      }
    }
    text += "  }\n";
  }
  return text + "}\n";
}

class CertificateOfRandomPrograms : public ::testing::TestWithParam<int> {};

// Parameter: number of cores per device.
TEST_P(CertificateOfRandomPrograms, every_schedule_and_all_ways_find_the_same_races) {
  const bool has_cores = GetParam() > 1;
  const int devices = has_cores ? 2 : 3;
  int racy = 0, deadlocked = 0, shown = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::string text = has_cores ? random_program_of_cores(seed) : random_program(seed);
    const Program program = expanded(text);
    std::string first, first_kinds;
    for (const std::string& schedule : sample_schedules(2)) {
      Operands operands(program, devices);
      Certifier certifier(CopyGranularity::partial, 1'000'000);
      RunOptions options{.machine = {.devices = devices, .cores = GetParam()},
                         .schedule = schedule};
      options.checks.uninitialised = Uninitialised::poison;
      options.observers = {&certifier};
      const auto result = run(program, operands.bindings(), options);
      ASSERT_TRUE(result) << render(result.diags());
      const Record& record = certifier.record();
      const std::string races = text_of(freeze_one(record, SearchMode::exhaustive), record);
      for (const SearchMode reach : {SearchMode::targeted, SearchMode::swept, SearchMode::adaptive})
        EXPECT_EQ(races, text_of(freeze_one(record, reach), record)) << text << schedule;
      if (first_kinds.empty()) {
        first = races;
        first_kinds = kinds(certifier.certificate());
        racy += races.empty() ? 0 : 1;
        deadlocked += result->is_complete ? 0 : 1;
      }
      EXPECT_EQ(races, first) << text << schedule;
      EXPECT_EQ(kinds(certifier.certificate()), first_kinds) << text << schedule;
    }
    if (seed > 100) continue;
    Operands operands(program, devices);
    CertifyOptions options{.run = {.machine = {.devices = devices, .cores = GetParam()}},
                           .shown = 1000};
    options.run.checks.uninitialised = Uninitialised::poison;
    const auto certificate = certify(program, operands.bindings(), options);
    ASSERT_TRUE(certificate);
    for (const RaceWitness& race : certificate->races) {
      EXPECT_TRUE(race.is_shown) << text << race.outcome << "\n"
                                 << (race.schedules ? race.schedules->y_first : "no witness");
      ++shown;
    }
  }
  // The programs have all kinds of outcomes.
  EXPECT_GT(racy, 100);
  EXPECT_LT(racy, 390);
  EXPECT_GT(deadlocked, 50);
  EXPECT_GT(shown, 50);
}

INSTANTIATE_TEST_SUITE_P(certificate, CertificateOfRandomPrograms, ::testing::Values(1, 2));

TEST(certificate, a_count_that_is_read_breaks_the_second_condition) {
  const Program program = expanded(
      "kernel k()\n  in a: f32[8] hbm\n  out o: f32[8] hbm\n  sem s: count\n{\n"
      "  signal s on device, 1\n  n = read(s)\n  wait s, 1\n  copy a -> o\n}\n");
  for (const std::int64_t runs : {0, 1}) {
    Operands operands(program, 1);
    const auto c = certify(program, operands.bindings(), {.exhaust = runs});
    ASSERT_TRUE(c) << render(c.diags());
    EXPECT_EQ(c->verdict, runs == 0 ? SchedulesVerdict::explored : SchedulesVerdict::proved);
    EXPECT_EQ(c->is_exhausted(), runs == 1);
    ASSERT_EQ(c->basis.broken.size(), 1U);
    EXPECT_EQ(c->basis.broken[0].condition, Condition::waits_only);
    const Stmt& stmt = program.body[c->basis.broken[0].statement];
    EXPECT_EQ(program.loc(stmt.place).line, 7);
  }
}

// Three devices that signal each other, read counts and branch on the values.
std::string random_polls(std::uint64_t seed) {
  SplitMix random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  std::string text =
      "kernel polls()\n  out o: i32[4] smem\n  smem t: i32[2]\n  sem s[2]: count\n"
      "  sem u: count\n{\n  t[0] = 0\n  t[1] = 0\n";
  for (int device = 0; device < 3; ++device) {
    text += fmt::format("  if device == {} {{\n", device);
    for (int i = 0; i < 4; ++i) {
      const int cell = below(2);
      switch (below(4)) {
        case 0:
          text += fmt::format("    n{0}{1} = read(s[{2}])\n    t[0] = t[0] * 4 + n{0}{1}\n", device,
                              i, cell);
          break;
        case 1:
          text += fmt::format("    if read(s[{}]) > 0 {{ signal s[{}] on {}, 1 }}\n", cell,
                              below(2), below(3));
          break;
        default:
          text += fmt::format("    signal s[{}] on {}, 1\n", cell, below(3));
      }
    }
    text += "  }\n";
  }
  // Wait for all remaining counts.
  return text +
         "  for d in devices { signal u on d, 1 }\n  wait u, devices\n"
         "  for c in 2 { wait s[c], read(s[c]) }\n  for i in 4 { o[i] = t[0] }\n}\n";
}

TEST(certificate, exhaustion_meets_every_course_that_random_schedules_meet) {
  int differ = 0, outcomes = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const std::string text = random_polls(seed);
    const Program program = expanded(text);
    Operands operands(program, 3);
    CertifyOptions options{.run = {.machine = {.devices = 3}}, .exhaust = 20'000};
    const auto c = certify(program, operands.bindings(), options);
    ASSERT_TRUE(c) << render(c.diags());
    ASSERT_TRUE(c->is_exhausted()) << text << kinds(*c);
    const std::int64_t ends = std::get<Exhausted>(c->evidence).outcomes;
    std::set<std::string> results;
    for (int i = 0; i < 200; ++i) {
      RunOptions run_options{.machine = {.devices = 3}, .schedule = fmt::format("random:{}", i)};
      run_options.record.results = true;
      const auto result = run(program, operands.bindings(), run_options);
      ASSERT_TRUE(result);
      EXPECT_TRUE(result->findings.empty()) << text << result->findings[0].message;
      std::string hashes;
      for (const ResultHash& hash : result->results) hashes += fmt::format("{} ", hash.hash);
      results.insert(hashes);
    }
    EXPECT_LE(results.size(), static_cast<std::size_t>(ends)) << text;
    differ += ends > 1 ? 1 : 0;
    outcomes += static_cast<int>(ends);
  }
  EXPECT_GT(differ, 5);
  EXPECT_GT(outcomes, 40);
}

TEST(certificate, more_events_than_the_budget_prove_nothing) {
  const Program program =
      expanded("kernel k()\n  in a: f32[8] hbm\n  out o: f32[8] hbm\n{\n  copy a -> o\n}\n");
  Operands operands(program, 1);
  const auto c = certify(program, operands.bindings(), {.budget = 3});
  ASSERT_TRUE(c);
  EXPECT_EQ(c->verdict, SchedulesVerdict::explored);
  EXPECT_EQ(c->why_explored(), "budget");
}

// Separate cells exist before the scope; cells that scopes share do not.
TEST(certificate, a_scoped_semaphore_may_be_signalled_before_its_scope) {
  const Program program = expanded(
      "kernel k()\n  sem unused: count\n{\n  all_barrier(0)\n  meet()\n}\nfunction meet() {\n"
      "  scoped sem s: count\n  signal s on 1 - device, 1\n  wait s, 1\n}\n");
  Operands operands(program, 2);
  CertifyOptions options{.run = {.machine = {.devices = 2}}};
  EXPECT_EQ(kinds(*certify(program, operands.bindings(), options)), "proved");
  options.run.machine.profile.shares_scoped_semaphores = true;
  EXPECT_EQ(certify(program, operands.bindings(), options)->verdict, SchedulesVerdict::refuted);
}

TEST(certificate, control_flow_names_the_loads_that_decide) {
  const Program program = expanded(
      "kernel k()\n  in n: i32[2] smem\n  in a: f32[8] hbm\n  out o: f32[8] hbm\n  smem d: "
      "i64[1]\n{\n"
      "  d[0] = n[0]\n  if d[0] > 0 { copy a -> o } else { copy a -> o }\n}\n");
  const ControlFlow control = control_flow(program);
  EXPECT_TRUE(control.buffers[BufferId(0)]);
  EXPECT_FALSE(control.buffers[BufferId(1)]);
  EXPECT_TRUE(control.buffers[BufferId(3)]);
}

}  // namespace
}  // namespace tessera
