// The time model of runs, compared with times computed by hand.
#include "analysis/timeline/timing.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/passes/expand.h"
#include "devices/interpreter/timed_run.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "interp/schedule/strategies.h"
#include "kernels/collective/allgather_matmul.h"
#include "tests/unit/language_support.h"
#include "tests/unit/timed_program.h"

namespace tessera {
namespace {

using test::plain_machine, test::timed, test::two_copies;

// Expects equal times, except for the rounding of at most 64 additions of times up to `seconds`.
void expect_time(double found, double expected, double seconds) {
  EXPECT_NEAR(found, expected, 64 * std::numeric_limits<double>::epsilon() * seconds);
}

TEST(Timing, copies_of_one_device_share_its_memory_and_a_product_waits_for_both) {
  MachineRates rates;
  rates.f32_speed = 0.5;
  const Timing timing = timed(two_copies, plain_machine(), rates);
  EXPECT_TRUE(timing.is_complete);
  // 1 MB each at 1 GB/s, 250 MFLOP at half of 1 TFLOP/s, 4 bytes back.
  expect_time(timing.seconds, 1e-3 + 1e-3 + 5e-4 + 4e-9, timing.seconds);
  expect_time(timing.devices[0].matrix, 5e-4, timing.seconds);
  expect_time(timing.devices[0].memory, 2e-3 + 4e-9, timing.seconds);
  expect_time(timing.devices[0].waiting, 2e-3 + 4e-9, timing.seconds);
  expect_time(timing.devices[0].overlapped, 0, timing.seconds);
  expect_time(timing.devices[0].moving, 2e-3 + 4e-9, timing.seconds);
  // The memory traffic of both operands and the result takes longer than the product.
  expect_time(timing.roofline.seconds, 2e-3 + 4e-9, timing.seconds);
  EXPECT_EQ(timing.roofline.by, Roofline::By::hbm);
}

TEST(Timing, a_roofline_counts_neither_what_is_read_again_nor_what_a_unit_pads) {
  constexpr const char* text = R"(kernel t()
  in   a:  f32[100, 100] hbm
  out  o:  f32[100, 100] hbm
  vmem x:  f32[100, 100]
  tile r:  f32[100, 100]
  vmem y:  f32[100, 100]
{
  for i in 0..3 { copy a -> x }
  r = 0
  r += x . x
  y = r
  copy y -> o
}
)";
  MachineProfile machine = plain_machine();
  machine.matrix_unit = 128;
  machine.hbm_bandwidth = 1e10;
  const Roofline of_memory = timed(text, machine).roofline;
  expect_time(of_memory.seconds, 80e3 / 1e10, of_memory.seconds);
  EXPECT_EQ(of_memory.by, Roofline::By::hbm);
  machine.hbm_bandwidth = 1e12;
  const Timing timing = timed(text, machine);
  expect_time(timing.devices[0].matrix, 2.0 * 100 * 128 * 128 / 1e12, timing.seconds);
  expect_time(timing.roofline.seconds, 2e6 / 1e12, timing.seconds);
  EXPECT_EQ(timing.roofline.by, Roofline::By::matrix);
}

TEST(Timing, cores_of_one_device_share_its_memory) {
  const Timing timing = timed(R"(kernel t()
  in   a: f32[1000, 500] hbm
  out  o: f32[2, 1]      hbm
  vmem x: f32[500, 500]
{
  copy a[core * 500 +: 500, :] -> x
  copy x[0 +: 1, 0 +: 1] -> o[core +: 1, :]
}
)",
                              plain_machine(), {}, 1, "eager", 2);
  // 1 MB per core at 1 GB/s, in sequence, then 4 bytes per core.
  expect_time(timing.seconds, 2e-3 + 8e-9, timing.seconds);
  ASSERT_EQ(timing.devices.size(), 2U);
  for (const DeviceTiming& core : timing.devices)
    expect_time(core.memory, 2e-3 + 8e-9, timing.seconds);
  expect_time(timing.devices[0].waiting, 2e-3 + 4e-9, timing.seconds);
  expect_time(timing.devices[1].waiting, 2e-3 + 8e-9, timing.seconds);
}

TEST(Timing, latency_and_overhead_come_once_for_each_copy_and_op) {
  MachineRates rates;
  rates.copy_latency = 1e-3;
  rates.op_overhead = 1e-4;
  const double without = timed(two_copies, plain_machine()).seconds;
  const Timing timing = timed(two_copies, plain_machine(), rates);
  // Two starts, two waits, zero, product, start, wait. The latencies of a and b overlap; the
  // latency of the result does not. The second start and the last wait run during a copy.
  expect_time(timing.devices[0].control, 8e-4, timing.seconds);
  EXPECT_GT(timing.seconds, without + 2e-3);
  EXPECT_LT(timing.seconds, without + 2e-3 + 8e-4);
}

TEST(Timing, the_matrix_unit_takes_whole_tiles) {
  MachineProfile machine = plain_machine();
  machine.matrix_unit = 256;
  machine.sublanes = 8;
  const Timing timing = timed(two_copies, machine);
  expect_time(timing.devices[0].matrix, 2.0 * 504 * 512 * 512 / 1e12, timing.seconds);
}

TEST(Timing, narrow_blocks_move_as_whole_tiles_of_lanes) {
  MachineProfile machine = plain_machine();
  machine.lanes = 128;
  machine.sublanes = 8;
  const Timing timing = timed(two_copies, machine);
  expect_time(timing.devices[0].memory, (2 * 504 * 512 + 8 * 128) * 4 / 1e9, timing.seconds);
}

// A product with tiles of 100 x 100. With depth 2, the next block arrives during the current
// product.
std::string product(int depth) {
  return "kernel t()\n  in a: f32[100, 2000] hbm\n  in b: f32[2000, 100] hbm\n"
         "  out o: f32[100, 100] hbm\n  tile acc: f32[100, 100]\n{\n"
         "  pipeline s in 20 {\n"
         "    window x = a[0 +: 100, s * 100 +: 100] depth " +
         std::to_string(depth) + "\n    window w = b[s * 100 +: 100, 0 +: 100] depth " +
         std::to_string(depth) +
         "\n    window r = o[0 +: 100, 0 +: 100]\n    if first(s) { acc = 0 }\n"
         "    acc += x . w\n    if last(s) { r = acc }\n  }\n}\n";
}

TEST(Timing, a_second_buffer_hides_copies_behind_products) {
  MachineProfile machine = plain_machine();
  machine.matmul_flops = 2e6 / 80e-6;  // a product takes as long as the copies of its two blocks
  const Timing serial = timed(product(1), machine), overlapped = timed(product(2), machine);
  expect_time(serial.seconds, 20 * 160e-6 + 40e-6, serial.seconds);
  expect_time(overlapped.seconds, 21 * 80e-6 + 40e-6, overlapped.seconds);
  expect_time(serial.devices[0].overlapped, 0, serial.seconds);
  expect_time(overlapped.devices[0].overlapped, 19 * 80e-6, overlapped.seconds);
}

constexpr const char* pass_right = R"(kernel t()
  in  a: f32[500, 500] hbm
  out o: f32[500, 500] hbm
  sem sent: bytes
  sem arrived: bytes
{
  start a -> (device + 1) mod devices: o, sent, arrived
  wait sent for a
  wait arrived for o
}
)";

TEST(Timing, links_of_a_ring_send_at_once) {
  MachineRates rates;
  rates.link_latency = 1e-3;
  const Timing timing = timed(pass_right, plain_machine(), rates, 4);
  // The automatic barrier takes one or two hops. Then each link moves 1 MB at 100 MB/s, plus a hop.
  EXPECT_GE(timing.seconds, 10e-3 + 1e-3);
  EXPECT_LE(timing.seconds, 10e-3 + 1e-3 + 4e-3);
  for (const DeviceTiming& device : timing.devices) {
    expect_time(device.links, 10e-3, timing.seconds);
    expect_time(device.memory, 2e-3, timing.seconds);
  }
}

// A device connected to a switch has one port for all its copies.
TEST(Timing, one_port_sends_to_all_others_in_turn) {
  MachineProfile machine = plain_machine();
  machine.hbm_bandwidth = 1e12;
  machine.power_of_two_routes = false;
  const std::string text = R"(kernel t()
  in x: i8[1000000] hbm; hbm y: i8[2, 1000000]; sem sent: bytes; sem arrived: bytes
{
  for hop in 2 { start x -> (device + hop + 1) mod devices: y[hop, :], sent, arrived }
  wait sent, 2000000
  wait arrived, 2000000
}
)";
  const double apart = timed(text, machine, {}, 3).seconds;
  machine.one_port = true;
  const double in_turn = timed(text, machine, {}, 3).seconds;
  EXPECT_NEAR(apart, 10e-3, 1e-3);
  EXPECT_NEAR(in_turn, 20e-3, 1e-3);
}

TEST(Timing, is_the_same_under_every_schedule_of_a_program_that_is_proved) {
  const Timing eager = timed(pass_right, plain_machine(), {}, 4);
  for (const std::string& schedule : sample_schedules(2)) {
    EXPECT_EQ(timed(pass_right, plain_machine(), {}, 4, schedule).seconds, eager.seconds);
    EXPECT_EQ(timed(product(2), plain_machine(), {}, 1, schedule).seconds,
              timed(product(2), plain_machine()).seconds);
  }
}

// The published predictions for the all-gather matmul over rows on 8 devices of v6e. The time is
// between full overlap (the maximum of products, memory and gathering) and no overlap (the sum of
// products and gathering).
TEST(Timing, the_all_gather_matmul_lies_between_full_overlap_and_none) {
  struct Row {
    std::int64_t m, n, k;
    double overlapped, serial;
  };
  constexpr std::int64_t devices = 8;
  for (const Row& row :
       {Row{1024, 51200, 5120, 72.9e-6, 123.9e-6}, Row{2048, 51200, 5120, 145.9e-6, 247.8e-6}}) {
    std::vector<Tensor> x, y;
    Tensor rings(DType::i32, {1, devices});
    for (std::int64_t d = 0; d < devices; ++d) {
      rings.set(d, static_cast<double>(d));
      x.push_back(Tensor::uninitialised(DType::bf16, {row.m / devices, row.k}));
      y.push_back(Tensor::uninitialised(DType::bf16, {row.k, row.n / devices}));
    }
    const TimedRun timed(*find_profile("v6e"));
    AllgatherRowsOptions options;
    options.device = "interpreter";
    options.run = timed.options();
    const Expected<Launch> launch = launch_allgather_matmul_rows(x, y, rings, options);
    ASSERT_TRUE(launch) << render(launch.diags());
    const Expected<DeviceReport> report = run(*launch, options);
    ASSERT_TRUE(report && report->findings.empty());
    const Expected<double> seconds = timed.seconds();
    ASSERT_TRUE(seconds);
    EXPECT_GE(*seconds, row.overlapped) << row.m;
    EXPECT_LE(*seconds, row.serial) << row.m;
  }
}

TEST(Timing, a_run_that_did_not_complete_has_no_modelled_time) {
  const TimedRun timed(*find_profile("v6e"));
  const Expected<double> seconds = timed.seconds();
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.diags()[0].message, "the run was cut short: its time cannot be modelled");
}

TEST(Timing, every_profile_has_rates) {
  for (const Profile& profile : profiles()) {
    EXPECT_GT(profile.rates.vmem_bandwidth, profile.machine.hbm_bandwidth) << profile.machine.name;
    EXPECT_GT(profile.rates.copy_latency, 0) << profile.machine.name;
    EXPECT_GT(profile.rates.link_latency, profile.rates.copy_latency) << profile.machine.name;
    EXPECT_LT(profile.rates.f32_speed, 1) << profile.machine.name;
  }
}

}  // namespace
}  // namespace tessera
