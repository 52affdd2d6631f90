// Attribution of modelled time, compared with sums computed by hand.
#include "analysis/timeline/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "analysis/timeline/deeper_windows.h"
#include "core/passes/expand.h"
#include "tests/unit/timed_program.h"

namespace tessera {
namespace {

using test::plain_machine, test::timed, test::two_copies;

struct Costed {
  Timing timing;
  Cost cost;
};
Costed costed(const std::string& text, const MachineProfile& machine = plain_machine(),
              const MachineRates& rates = {}, int devices = 1) {
  CostListener listener;
  const Timing timing = timed(text, machine, rates, devices, "eager", 1, &listener);
  return {timing, listener.cost()};
}

const LineCost& line(const Cost& cost, int number) {
  static const LineCost none;
  const auto found = std::find_if(cost.lines.begin(), cost.lines.end(),
                                  [&](const LineCost& each) { return each.loc.line == number; });
  EXPECT_NE(found, cost.lines.end()) << "line " << number;
  return found == cost.lines.end() ? none : *found;
}

// Expects equal times, except for the rounding of at most 64 additions of times up to `seconds`.
void expect_time(double found, double expected, double seconds) {
  EXPECT_NEAR(found, expected, 64 * std::numeric_limits<double>::epsilon() * seconds);
}

// Expects that the critical path has no gaps from start to end, and that its whole time is
// attributed to lines.
void expect_whole_path(const Costed& run) {
  const double seconds = run.timing.seconds;
  expect_time(run.cost.critical.seconds(), seconds, seconds);
  double critical = 0;
  for (const LineCost& each : run.cost.lines) critical += each.critical;
  expect_time(critical, seconds, seconds);
}

TEST(Cost, OfTwoCopiesIsTheWaitsForThemAndTheProduct) {
  const Costed run = costed(two_copies);
  const double seconds = run.timing.seconds;
  expect_time(line(run.cost, 13).waiting, 1e-3, seconds);
  expect_time(line(run.cost, 14).waiting, 1e-3, seconds);
  expect_time(line(run.cost, 16).matrix, 2.5e-4, seconds);
  expect_time(run.cost.lines.front().on_core(), 1e-3, seconds);
}

TEST(Cost, ThePathGoesThroughTheCopiesThatTheMemoryWasBusyWith) {
  const Costed run = costed(two_copies);
  const double seconds = run.timing.seconds;
  expect_whole_path(run);
  expect_time(run.cost.critical.memory, 2e-3 + 4e-9, seconds);
  expect_time(run.cost.critical.work, 2.5e-4, seconds);
  // `start b -> y` waits until the memory has served `start a -> x`.
  expect_time(line(run.cost, 11).critical, 1e-3, seconds);
  expect_time(line(run.cost, 12).critical, 1e-3, seconds);
  EXPECT_EQ(line(run.cost, 14).critical, 0);
}

constexpr const char* ring = R"(kernel t()
  in   a:    f32[1, 250] hbm
  out  o:    f32[1, 250] hbm
  vmem x:    f32[1, 250]
  sem  sent: bytes
  sem  got:  bytes
{
  for i in 0..device {
    copy a -> x
  }
  trace 1 "shift" {
    start a -> (device + 1) mod devices: o, sent, got
    wait sent for a
    wait got for o
  }
}
)";

TEST(Cost, ThePathCrossesDevices) {
  MachineRates rates;
  rates.link_latency = 1e-6;
  const Costed run = costed(ring, plain_machine(), rates, 3);
  expect_whole_path(run);
  // Device 2 copies twice before it sends; 1000 bytes over a link of 100 MB/s.
  expect_time(run.cost.critical.memory, 2e-6, run.timing.seconds);
  expect_time(run.cost.critical.links, 1e-5, run.timing.seconds);
  EXPECT_GE(run.cost.critical.latency, 1e-6);
}

TEST(Cost, RegionsHaveTheTimeOfTheCoreThatWaitsLeast) {
  const Costed run = costed(ring, plain_machine(), {}, 3);
  ASSERT_EQ(run.cost.regions.size(), 1U);
  EXPECT_EQ(run.cost.regions[0].name, "shift");
  double least = run.timing.devices[0].waiting;
  for (const DeviceTiming& device : run.timing.devices) least = std::min(least, device.waiting);
  EXPECT_GT(run.cost.regions[0].seconds, 0);
  EXPECT_LE(run.cost.regions[0].seconds, least);
}

TEST(Cost, OfARunThatTakesNoTimeIsNothing) {
  const Costed run = costed("kernel t()\n  vmem x: f32[1, 1]\n{\n  x = 0\n}\n");
  EXPECT_EQ(run.timing.seconds, 0);
  EXPECT_EQ(run.cost.critical.seconds(), 0);
}

// Copies of 400 bytes in and out, and a tile op between them that takes as long.
constexpr const char* uneven = R"(kernel t()
  in  a: f32[40, 25] hbm
  out o: f32[40, 25] hbm
{
  pipeline i in 0..10 {
    window w = a[4 * i +: 4, :] depth 1
    window v = o[4 * i +: 4, :] depth 2
    v = w
  }
}
)";

TEST(DeeperWindows, ASecondSlotLetsACopyRunAheadOfItsUse) {
  const Expected<Program> structured = test::program(uneven);
  ASSERT_TRUE(structured) << test::messages(structured.diags());
  Tensor a(DType::f32, {40, 25}), o = a.clone();
  RunOptions options;
  options.machine.devices = 1;
  options.machine.profile = plain_machine();
  MachineRates rates;
  rates.vmem_bandwidth = 1e9;
  const std::vector<Binding> bindings = {{{"a", &a}, {"o", &o}}};
  const DeeperWindows deeper = time_deeper_windows(*structured, bindings, options, rates);
  EXPECT_TRUE(deeper.left_out.empty());
  ASSERT_EQ(deeper.windows.size(), 2U);
  EXPECT_EQ(deeper.windows[0].name, "w");
  EXPECT_EQ(deeper.windows[0].depth, 2);
  EXPECT_EQ(deeper.windows[1].name, "v");
  EXPECT_EQ(deeper.windows[1].depth, 3);
  const double as_it_is = timed(uneven, plain_machine(), rates).seconds;
  EXPECT_LT(deeper.windows[0].seconds, as_it_is);
}

TEST(DeeperWindows, ASlotWithoutRoomIsLeftOut) {
  const Expected<Program> structured = test::program(uneven);
  ASSERT_TRUE(structured);
  Tensor a(DType::f32, {40, 25}), o = a.clone();
  RunOptions options;
  options.machine.devices = 1;
  options.machine.profile = plain_machine();
  options.machine.profile.vmem_bytes = 3 * 400;
  const std::vector<Binding> bindings = {{{"a", &a}, {"o", &o}}};
  const DeeperWindows deeper = time_deeper_windows(*structured, bindings, options, {});
  EXPECT_TRUE(deeper.windows.empty());
  EXPECT_EQ(deeper.left_out, (std::vector<std::string>{"w", "v"}));
}

}  // namespace
}  // namespace tessera
