// Growth of the race search for twice as many iterations or copies, in events replayed. Quadratic
// growth would be a factor of four.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/points/point_threads.h"
#include "analysis/certificate/races/race_search.h"
#include "analysis/certificate/record/recorder.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

Program program_of(const std::string& text, bool is_per_point) {
  auto program = test::program(text);
  EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags())) << text;
  return *expand(*program, {.per_point = is_per_point});
}

// Returns the number of events replayed by the race search and the sweep.
std::int64_t work_of(const Record& record, SearchMode reach, std::size_t races) {
  RaceSearchContext ground(record, reach);
  RaceSearch forks(ground, 100, 0, 1);
  forks.run();
  EXPECT_EQ(forks.found().races().size(), races);
  return forks.events_replayed() + ground.swept();
}

// Returns the number of events replayed if each iteration of a parallel loop is an agent.
std::int64_t work_of_iterations(const std::string& text, int devices) {
  const Program program = program_of(text, true);
  std::set<StmtId> loops;
  for (const StmtId i : program.body.ids()) {
    const auto* loop = std::get_if<For>(&program.body[i].op);
    if (loop != nullptr && loop->parallel != 0) loops.insert(i);
  }
  Operands operands(program, devices);
  Recorder recorder(CopyGranularity::partial, 1'000'000, true);
  RunOptions options{.machine = {.devices = devices}, .schedule = "eager"};
  options.observers = {&recorder};
  const auto result = run(program, operands.bindings(), options);
  EXPECT_TRUE(result && result->findings.empty()) << text;
  const PointThreads threads = as_threads(recorder.record(), loops);
  EXPECT_TRUE(point_findings(threads, recorder.record()).empty()) << text;
  return work_of(threads.record, SearchMode::swept, 0);
}

// Returns the number of events replayed by the race search of a run.
std::int64_t work_of_copies(const std::string& text, int devices, std::size_t races) {
  const Program program = program_of(text, false);
  Operands operands(program, devices);
  Recorder recorder(CopyGranularity::partial, 1'000'000);
  RunOptions options{.machine = {.devices = devices}, .schedule = "eager"};
  options.observers = {&recorder};
  const auto result = run(program, operands.bindings(), options);
  EXPECT_TRUE(result && result->findings.empty()) << text;
  return work_of(recorder.record(), SearchMode::adaptive, races);
}

template <typename Work>
void expect_growth(const Work& work, int n) {
  const std::int64_t small = work(n), large = work(2 * n);
  EXPECT_LE(static_cast<double>(large), 2.5 * static_cast<double>(small))
      << n << ": " << small << ", " << 2 * n << ": " << large;
}

TEST(Growth, iterations_that_send) {
  expect_growth(
      [](int n) {
        return work_of_iterations(fmt::format(R"(
kernel k(n = {})
  in a: f32[n, 8] hbm
  out o: f32[n, 8] hbm
  sem s: bytes; sem r: bytes
{{
  all_barrier(0)
  for i in n parallel {{ start a[i] -> (device + 1) mod devices: o[i], s, r }}
  wait s for a; wait r for o
}}
)",
                                              n),
                                  3);
      },
      60);
}

TEST(Growth, iterations_beside_one_that_signals) {
  expect_growth(
      [](int n) {
        return work_of_iterations(fmt::format(R"(
kernel k(n = {})
  hbm h: i32[n]
  vmem x: i32[1]
  sem c: count
{{
  x = 1
  all_barrier(0)
  for i in n parallel {{
    if i == 0 {{ signal c on (device + 1) mod devices, 1 }}
    copy x -> h[i +: 1]
  }}
  wait c, 1
}}
)",
                                              n),
                                  2);
      },
      60);
}

// The iterations of a second loop wait for iterations of another device.
TEST(Growth, iterations_that_wait_for_each_other) {
  expect_growth(
      [](int n) {
        return work_of_iterations(fmt::format(R"(
kernel k(n = {})
  hbm h: i32[n]
  hbm o: i32[n]
  hbm g: i32[n]
  vmem x: i32[1]
  sem s: bytes; sem r[n]: bytes
{{
  x = 1
  for i in n {{ copy x -> h[i +: 1] }}
  all_barrier(0)
  for i in n parallel {{ start h[i +: 1] -> (device + 1) mod devices: o[i +: 1], s, r[i] }}
  for i in n parallel {{ wait r[i], 4; copy o[i +: 1] -> g[i +: 1] }}
  wait s for h
}}
)",
                                              n),
                                  3);
      },
      60);
}

TEST(Growth, iterations_of_many_loops) {
  expect_growth(
      [](int n) {
        return work_of_iterations(fmt::format(R"(
kernel k(n = {})
  hbm h: i32[n, 2]
  vmem x: i32[1]
  sem c: count
{{
  x = 1
  all_barrier(0)
  for k in n {{
    for i in 2 parallel {{
      copy x -> h[k, i +: 1]
      signal c on (device + 1) mod devices, 1
    }}
  }}
  wait c, 2 * n
}}
)",
                                              n),
                                  2);
      },
      30);
}

std::string additions(int n, std::string_view type, std::string_view place) {
  return fmt::format(R"(
kernel k(n = {})
  hbm o: {}[8]
  vmem x: {}[8]
  sem s: bytes; sem r: bytes
{{
  x = 1
  copy x -> o
  all_barrier(0)
  for i in n {{ start x -> {} add }}
  wait s, 32 * n
  {}
}}
)",
                     n, type, type, place, place == "o, s" ? "" : "wait r, 32 * n");
}

TEST(Growth, additions_to_one_element) {
  for (const std::string_view place : {"o, s", "(device + 1) mod devices: o, s, r"})
    expect_growth([&](int n) { return work_of_copies(additions(n, "i32", place), 2, 0); }, 200);
}

// The order of float additions is only a remark, and its pairs are counted up to a limit.
TEST(Growth, additions_of_floats_to_one_element) {
  for (const std::string_view place : {"o, s", "(device + 1) mod devices: o, s, r"})
    expect_growth([&](int n) { return work_of_copies(additions(n, "f32", place), 2, 1); }, 400);
}

}  // namespace
}  // namespace tessera
