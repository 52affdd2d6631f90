// Devices of several cores: one core goes wrong while others wait for it, and a barrier of all
// cores (collective conformance cases 14 and 15).
#include "analysis/certificate/certificate.h"
#include "interp/schedule/strategies.h"
#include "tests/conformance/text_kernel.h"

namespace tessera {
namespace {

using testing::expanded;
using testing::findings_of;
using testing::Operands;
using testing::run_ok;

RunOptions machine(int devices, int cores, const std::string& schedule = "eager") {
  RunOptions options;
  options.machine.devices = devices;
  options.machine.cores = cores;
  options.schedule = schedule;
  return options;
}

// Each core sends its columns to the same core of the next device, and waits for those of the one
// before.
constexpr const char* pass_on = R"(
kernel pass_on(rows = 16, cols = 256)
  in   x: f32[rows, cols] hbm
  out  o: f32[rows, cols] hbm
  vmem t: f32[1, cols]
  sem  sent:    bytes
  sem  arrived: bytes
{
  per   = cols / cores
  right = (device + 1) mod devices
  if device == 1 and core == 0 { copy x[device + WRONG +: 1, :] -> t }
  start x[:, core * per +: per max cols] -> right core core: o[:, core * per +: per max cols], sent, arrived
  wait sent for x[:, 0 +: per max cols]
  wait arrived for o[:, 0 +: per max cols]
}
)";

std::string with(std::string text, const std::string& what, const std::string& instead) {
  return text.replace(text.find(what), what.size(), instead);
}

TEST(CollectiveCores, case_14_the_core_that_goes_wrong_is_named) {
  const Program program = expanded(with(pass_on, "WRONG", "15"));
  for (const std::string& schedule : sample_schedules(2)) {
    const RunResult result = run_ok(program, machine(3, 2, schedule));
    ASSERT_EQ(result.findings.size(), 1U) << schedule;
    const Finding& finding = result.findings[0];
    EXPECT_EQ(finding.kind, FindingKind::out_of_bounds);
    EXPECT_EQ(finding.message, "read of x[16 .. 17, 0 .. 256] leaves x[16, 256]") << schedule;
    EXPECT_EQ(finding.at.device, 1);
    EXPECT_EQ(finding.at.agent, "dev1.core0");
    EXPECT_EQ(finding.at.loc.line, 11);
    EXPECT_FALSE(result.is_complete);
  }
  const Program right = expanded(with(pass_on, "WRONG", "0"));
  Operands operands(right, 3);
  const auto certificate = certify(right, operands.bindings(), {.run = machine(3, 2)});
  ASSERT_TRUE(certificate) << render(certificate.diags());
  EXPECT_EQ(certificate->verdict, SchedulesVerdict::proved);
}

// y = x + cores * device + core + 1; no core begins before all of them are there.
constexpr const char* core_map = R"(
kernel core_map()
  in   x: i32[16, 128] hbm
  out  y: i32[16, 128] hbm
  vmem t: i32[16, 128]
  sem  met: count
  sem  all: barrier(0)
{
  for d in devices { for c in cores { signal all on d core c, 1 } }
  wait all, devices * cores
  for d in devices { for c in cores { signal met on d core c, 1 } }
  wait met, devices * cores
  const most = 16
  rows = most / cores
  copy x[core * rows +: rows max most, :] -> t[0 +: rows max most, :]
  t[0 +: rows max most, :] = t[0 +: rows max most, :] + (cores * device + core + 1)
  copy t[0 +: rows max most, :] -> y[core * rows +: rows max most, :]
}
)";

TEST(CollectiveCores, case_15_every_core_adds_its_number_behind_a_barrier_of_all) {
  const Program program = expanded(core_map);
  for (const int cores : {1, 2, 4}) {
    for (const int devices : {1, 2, 4}) {
      for (const std::string& schedule : sample_schedules(2)) {
        Operands operands(program, devices);
        for (int d = 0; d < devices; ++d)
          for (std::int64_t i = 0; i < 16 * 128; ++i)
            operands.of(d, "x").set(i, static_cast<double>(d * 16 * 128 + i));
        const RunResult result = run_ok(program, operands, machine(devices, cores, schedule));
        ASSERT_EQ(testing::text(result), "") << devices << " x " << cores << " " << schedule;
        EXPECT_TRUE(result.is_complete);
        for (int d = 0; d < devices; ++d)
          for (std::int64_t i = 0; i < 16 * 128; ++i) {
            const std::int64_t core = i / 128 / (16 / cores);
            ASSERT_EQ(operands.of(d, "y").at(i), d * 16 * 128 + i + cores * d + core + 1)
                << devices << " x " << cores << " " << schedule << " element " << i;
          }
      }
      Operands operands(program, devices);
      const auto certificate =
          certify(program, operands.bindings(), {.run = machine(devices, cores)});
      ASSERT_TRUE(certificate) << render(certificate.diags());
      EXPECT_EQ(certificate->verdict, SchedulesVerdict::proved) << devices << " x " << cores;
      EXPECT_EQ(certificate->statistics.transfers, 2 * devices * cores);
    }
  }
}

// Whoever comes last to the barrier lets all others pass: no core reaches its first copy before
// every core has signalled, and a schedule that takes one core alone that far does not fit.
TEST(CollectiveCores, case_15_no_core_passes_the_barrier_alone) {
  const Program program = expanded(core_map);
  Operands operands(program, 2);
  // Of 4 cores: 4 signals each, and then the wait.
  const auto under = [&](const std::string& steps) {
    RunOptions options = machine(2, 2, "steps:" + steps);
    options.record.schedule = true;
    return run(program, operands.bindings(), options);
  };
  for (const char* core : {"dev0.core0", "dev0.core1", "dev1.core0", "dev1.core1"}) {
    const auto alone = under(std::string(core) + "*5");
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.diags()[0].message, "entry 1 of the schedule requires 5 steps of " +
                                            std::string(core) + ", which can take only 4");
  }
  const auto together =
      under("dev0.core0*4,dev1.core1*4,dev0.core1*4,dev1.core0*5,dev0.core1*5,dev0.core0*3");
  ASSERT_TRUE(together) << render(together.diags());
  EXPECT_EQ(testing::text(*together), "");
  // What ran is replayed by its own text.
  const auto again = under(together->schedule.substr(std::string("steps:").size()));
  ASSERT_TRUE(again) << render(again.diags());
  EXPECT_EQ(again->trace_hash, together->trace_hash);
  EXPECT_EQ(again->schedule, together->schedule);
}

// Cores that do not run at once never meet: one that waits for the others before it signals holds
// all of them up.
TEST(CollectiveCores, case_15_the_barrier_deadlocks_where_a_core_stays_away) {
  const std::string waits_first =
      with(core_map, "for d in devices { for c in cores { signal all on d core c, 1 } }",
           "if core == 0 { for d in devices { for c in cores { signal all on d core c, 1 } } }");
  EXPECT_EQ(findings_of(expanded(waits_first), machine(2, 2)),
            "10: deadlock: 4 of 4 cores are blocked, and nothing else can move");
}

}  // namespace
}  // namespace tessera
