// Verdicts that rest on the length of a ring.
#include "analysis/certificate/unrolled_ring/unrolled_ring.h"

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/record/fingerprint.h"
#include "analysis/certificate/unrolled_ring/cover.h"
#include "analysis/certificate/unrolled_ring/same_steps.h"
#include "tests/unit/unrolled_ring_support.h"

namespace tessera {
namespace {

using test::RingProgram;
using test::RingRun;
using test::run_words;
using test::unrolled;

// Returns the words of right_permute on a ring with these devices.
std::string right_permute(const std::string& ring, int devices, bool has_double_barrier) {
  std::vector<int> places(static_cast<std::size_t>(devices));
  std::istringstream stream(ring);
  std::string id;
  for (int place = 0; std::getline(stream, id, ','); ++place)
    places[static_cast<std::size_t>(std::stoi(id))] = place;
  return fmt::format(
      "right_permute --devices {} --set rows=8 --set cols=8 --set T=f32 --set rings=1 "
      "--set length={} --set double_barrier={} --in ring={} --in position={} --calls 2",
      devices, devices, has_double_barrier ? 1 : 0, ring, fmt::join(places, ","));
}

// Two calls with one barrier are proved for 3 and 4 devices, and race from 5 devices on.
TEST(UnrolledRing, finds_a_proof_that_rests_on_the_length) {
  for (const auto& [ring, devices] :
       {std::pair("0,1,2", 3), std::pair("0,1,2,3", 4), std::pair("0,2,1,3", 4)}) {
    const RingRun run = run_words(right_permute(ring, devices, false));
    EXPECT_TRUE(run.is_proved());
    EXPECT_EQ(unrolled(run), "rests on 0-13") << ring;
    EXPECT_EQ(unrolled(run, {.max_devices = 8}), "rests on 0-13@5") << ring;
    EXPECT_EQ(unrolled(run_words(right_permute(ring, devices, true))), "quiet") << ring;
  }
  EXPECT_FALSE(run_words(right_permute("0,1,2,3,4", 5, false)).is_proved());
}

TEST(UnrolledRing, pairs_are_events_of_the_record) {
  const RingRun run = run_words(right_permute("0,1,2", 3, false));
  const Record& record = run.record();
  const UnrolledRing ring = unroll_ring(record);
  ASSERT_EQ(ring.pairs.size(), 1U);
  const LengthPair& pair = ring.pairs.front();
  EXPECT_EQ(record.event(pair.x).act, Act::access);
  EXPECT_EQ(record.event(pair.y).act, Act::access);
  EXPECT_EQ(std::min(record.event(pair.x).statement, record.event(pair.y).statement), pair.first);
  EXPECT_EQ(std::abs(pair.distance), 1);
  EXPECT_EQ(ring.reach, 1);
  EXPECT_EQ(ring.devices, 24);
}

TEST(UnrolledRing, no_collective_rests_on_the_length) {
  for (const char* words :
       {"right-permute --m 8 --n 8", "all-gather --m 8 --n 8 --directions 1",
        "all-gather --m 8 --n 8", "all-reduce --m {0} --n 8", "reduce-scatter --m {0} --n 8",
        "ag-matmul --m {0} --k {0} --n {0} --tiling 8,8,8",
        "ag-matmul --gather m --m {1} --k 128 --n 128 --tiling 8,128,128",
        "matmul-rs --m {1} --k {1} --n 8 --tiling 8,16,8"})
    for (const int devices : {3, 4, 5, 8})
      for (const int calls : {1, 2}) {
        const std::string all = fmt::format(fmt::runtime(words), 2 * devices, 16 * devices) +
                                fmt::format(" --devices {} --calls {}", devices, calls);
        const RingRun run = run_words(all);
        EXPECT_TRUE(run.is_proved()) << all;
        EXPECT_EQ(unrolled(run), "quiet") << all;
      }
}

// Each device sends to the right. {0}: slots, {1}: steps, {2}: distance, {3}: barrier.
std::string slots(int slots, int steps, int distance = 1,
                  const std::string& barrier = "neighbour_barrier(left, right, 0)") {
  return fmt::format(R"(
kernel slots()
  in   x:    f32[1, 8] hbm
  out  o:    f32[{1}, 8] hbm
  hbm  slot: f32[{0}, 8]
  sem  sent: bytes
  sem  arrived[{0}]: bytes
{{
  left = (device - {2}) mod devices
  right = (device + {2}) mod devices
  {3}
  for s in {1} {{
    start x -> right: slot[s mod {0} +: 1, :], sent, arrived[s mod {0}]
    wait sent for x
    wait arrived[s mod {0}] for x
    copy slot[s mod {0} +: 1, :] -> o[s +: 1, :]
  }}
}}
)",
                     slots, steps, distance, barrier);
}

// A slot is filled again after d steps. In a ring of at most d devices, that is after its last
// read.
TEST(UnrolledRing, slots_without_credits_rest_on_the_length) {
  for (int d = 2; d <= 6; ++d) {
    const RingProgram program(slots(d, 2 * d + 2));
    for (int devices = 3; devices <= d; ++devices) {
      const RingRun run = program.run(devices);
      EXPECT_TRUE(run.is_proved()) << d << " " << devices;
      EXPECT_EQ(unroll_ring(run.record()).verdict, LengthVerdict::rests_on_length) << d;
      const UnrolledRing ring = unroll_ring(run.record(), {.max_devices = 20});
      ASSERT_FALSE(ring.pairs.empty());
      for (const LengthPair& pair : ring.pairs) EXPECT_EQ(pair.next_length, d + 1);
    }
    EXPECT_EQ(program.first_not_proved(2, 10), d + 1);
    // Each slot is used once.
    const RingProgram once(slots(d, d));
    EXPECT_EQ(unrolled(once.run(3)), "quiet");
    EXPECT_EQ(once.first_not_proved(2, 20), 0);
  }
}

// A blocked device affects so many others that 24 devices are not enough.
TEST(UnrolledRing, is_long_enough_for_the_effects_of_a_blocked_device) {
  for (const char* barrier : {"neighbour_barrier(left, right, 0)", "all_barrier(0)"}) {
    const RingProgram program(slots(30, 62, 1, barrier));
    const RingRun run = program.run(3);
    const UnrolledRing ring = unroll_ring(run.record());
    EXPECT_EQ(test::text_of(ring, run.record()), "rests on 13-13 13-16");
    EXPECT_GE(ring.devices, 62);
    EXPECT_TRUE(program.run(30).is_proved());
    EXPECT_FALSE(program.run(31).is_proved());
  }
}

// Only device 2 uses rows again. All other rows are used once.
TEST(UnrolledRing, rectangles_may_depend_on_the_device) {
  const RingProgram program(R"(
kernel rows()
  in   x:    f32[1, 8] hbm
  out  o:    f32[8, 8] hbm
  hbm  slot: f32[11, 8]
  sem  sent: bytes
  sem  arrived[8]: bytes
{
  neighbour_barrier((device - 1) mod devices, (device + 1) mod devices, 0)
  for s in 8 {
    start x -> (device + 1) mod devices: slot[(device mod 3 == 1 ? s mod 3 : 3 + s) +: 1, :], sent, arrived[s]
    wait sent for x
    wait arrived[s] for x
    copy slot[(device mod 3 == 2 ? s mod 3 : 3 + s) +: 1, :] -> o[s +: 1, :]
  }
}
)");
  const RingRun run = program.run(3);
  EXPECT_TRUE(run.is_proved());
  const UnrolledRing ring = unroll_ring(run.record(), {.max_devices = 20});
  EXPECT_FALSE(ring.has_equal_boxes);
  EXPECT_EQ(test::text_of(ring, run.record()), "rests on 11-11 11-14");
  EXPECT_FALSE(program.run(6).is_proved());
}

// Each device signals all others twice, so half of the devices are enough for the first wait. A
// blocked device delays 14 others, which is more than half of a ring of at most 29 devices.
TEST(UnrolledRing, signals_to_all_of_longer_rings_are_counted) {
  const RingProgram program(R"(
kernel twice()
  in   x:    f32[1, 8] hbm
  out  o:    f32[1, 8] hbm
  hbm  slot: f32[1, 8]
  sem  sent: bytes
  sem  arrived: bytes
  sem  hop: count
  sem  all: barrier(1)
{
  neighbour_barrier((device - 1) mod devices, (device + 1) mod devices, 0)
  copy x -> slot
  copy slot -> o
  for s in 14 {
    signal hop on (device + 1) mod devices, 1
    wait hop, 1
  }
  for i in 2 { for d in devices { signal all on d, 1 } }
  wait all, devices
  start x -> (device + 1) mod devices: slot, sent, arrived
  wait sent for x
  wait arrived for x
  wait all, devices
}
)");
  EXPECT_EQ(unroll_ring(program.run(5).record()).verdict, LengthVerdict::rests_on_length);
  EXPECT_EQ(program.first_not_proved(5, 40), 30);
}

// Over distance 2 with 4 slots, rings of 6 and 8 devices are two rings each. 7 is refuted, 8
// proved.
TEST(UnrolledRing, later_rings_can_be_proved_again) {
  const RingProgram program(slots(4, 16, 2));
  std::string verdicts;
  for (int devices = 5; devices <= 10; ++devices)
    verdicts += program.run(devices).is_proved() ? "P" : "R";
  EXPECT_EQ(verdicts, "RPRPRR");
  EXPECT_EQ(unrolled(program.run(6), {.max_devices = 20}), "rests on 13-13@7 13-16@7");
  EXPECT_EQ(unrolled(program.run(8), {.max_devices = 20}), "rests on 13-13@9 13-16@9");
}

// A chain of one hop in all but each q-th step orders the first and the last copy, in n + c steps.
std::string slope(int q, int c) {
  return fmt::format(R"(
kernel slope()
  in   x:    f32[1, 8] hbm
  out  o:    f32[1, 8] hbm
  hbm  slot: f32[1, 8]
  sem  sent: bytes
  sem  arrived: bytes
  sem  hop: count
{{
  left = (device - 1) mod devices
  right = (device + 1) mod devices
  neighbour_barrier(left, right, 0)
  for s in devices + {1} {{
    if s == 0 or s == devices + {1} - 1 {{
      start x -> right: slot, sent, arrived
      wait sent for x
      wait arrived for x
      copy slot -> o
    }}
    if s mod {0} != {0} - 1 {{
      signal hop on right, 1
      wait hop, 1
    }}
  }}
}}
)",
                     q, c);
}

TEST(UnrolledRing, a_late_failure_rests_on_the_length_of_short_rings) {
  for (const auto& [q, c, first] :
       {std::tuple(4, 1, 8), std::tuple(5, 2, 14), std::tuple(8, 2, 23)}) {
    const RingProgram program(slope(q, c));
    EXPECT_EQ(program.first_not_proved(3, 40), first);
    for (int devices = 3; devices < first; ++devices)
      EXPECT_EQ(unrolled(program.run(devices)), "rests on 15-15 15-18") << devices;
    EXPECT_EQ(same_steps(program.run(5).record(), program.run(6).record()), SameSteps::other_steps);
  }
}

// A barrier that counts the signals of both neighbours, and is waited for one step later. A device
// can be further ahead in longer rings, which have more steps.
std::string counting(int slots, const std::string& steps) {
  return fmt::format(R"(
kernel counting()
  in   x:    f32[1, 8] hbm
  out  o:    f32[1, 8] hbm
  hbm  slot: f32[{0}, 8]
  sem  sent: bytes
  sem  arrived[{0}]: bytes
  sem  step: count
{{
  left = (device - 1) mod devices
  right = (device + 1) mod devices
  neighbour_barrier(left, right, 0)
  for s in {1} {{
    start x -> right: slot[s mod {0} +: 1, :], sent, arrived[s mod {0}]
    wait sent for x
    wait arrived[s mod {0}] for x
    copy slot[s mod {0} +: 1, :] -> o
    signal step on left, 1
    signal step on right, 1
    if s > 0 {{ wait step, 2 }}
  }}
  wait step, 2
}}
)",
                     slots, steps);
}

TEST(UnrolledRing, a_counting_barrier_is_quiet_until_it_has_enough_steps) {
  const RingProgram growing(counting(6, "devices - 1"));
  EXPECT_EQ(growing.first_not_proved(3, 20), 13);
  for (int devices = 3; devices <= 12; ++devices)
    EXPECT_EQ(unroll_ring(growing.run(devices).record()).verdict,
              devices <= 10 ? LengthVerdict::quiet : LengthVerdict::rests_on_length);
  // No claim follows for longer rings, because they have more steps.
  EXPECT_EQ(same_steps(growing.run(8).record(), growing.run(9).record()), SameSteps::other_steps);
  for (const int steps : {5, 8, 12}) {
    const RingProgram fixed(counting(4, std::to_string(steps)));
    EXPECT_EQ(same_steps(fixed.run(5).record(), fixed.run(6).record()), SameSteps::same);
    EXPECT_EQ(unroll_ring(fixed.run(5).record()).verdict == LengthVerdict::quiet,
              fixed.first_not_proved(2, 30) == 0)
        << steps;
  }
}

// The credit is omitted in step 29, which a ring of fewer devices does not have.
TEST(UnrolledRing, a_step_that_is_not_reached_yet_is_another_step) {
  const RingProgram program(R"(
kernel lcm()
  in   x:    f32[1, 8] hbm
  out  o:    f32[1, 8] hbm
  hbm  slot: f32[2, 8]
  sem  sent: bytes
  sem  arrived: bytes
  sem  free: count
{
  left = (device - 1) mod devices
  right = (device + 1) mod devices
  neighbour_barrier(left, right, 0)
  for s in devices {
    if s > 0 and (s mod 5 != 4 or s mod 6 != 5) { wait free, 1 }
    start x -> right: slot[s mod 2 +: 1, :], sent, arrived
    wait sent for x
    wait arrived for x
    copy slot[s mod 2 +: 1, :] -> o
    if s + 1 < devices and ((s + 1) mod 5 != 4 or (s + 1) mod 6 != 5) { signal free on left, 1 }
  }
}
)");
  const RingRun run = program.run(12);
  EXPECT_EQ(unrolled(run), "quiet");
  EXPECT_EQ(same_steps(run.record(), program.run(13).record()), SameSteps::other_steps);
  EXPECT_TRUE(program.run(29).is_proved());
  EXPECT_EQ(unroll_ring(program.run(29).record()).verdict, LengthVerdict::quiet);
  EXPECT_EQ(program.first_not_proved(29, 40), 30);
}

// The devices of a longer ring execute the events of the unrolled ring.
TEST(UnrolledRing, is_the_record_of_a_longer_ring) {
  for (const std::string& text : {slots(3, 7), slots(2, 4, 2), slots(3, 7, 1, "all_barrier(0)"),
                                  slots(3, 7, 1, ""), counting(3, "6")})
    for (const int calls : {1, 2}) {
      const RingProgram program(text, calls);
      const RingRun run = program.run(5);
      const FoundRing found = find_ring(run.record());
      ASSERT_TRUE(found.ring) << found.reason << text;
      for (const int devices : {5, 10, 13}) {
        const RingRun longer = program.run(devices);
        const Cover unrolled = cover(*found.ring, devices);
        EXPECT_EQ(protocol_hash(unrolled.record), protocol_hash(longer.record())) << text;
        EXPECT_EQ(freeze_one(unrolled.record).races.size(),
                  freeze_one(longer.record()).races.size());
      }
    }
}

TEST(UnrolledRing, says_why_a_record_is_no_ring) {
  const auto reason = [](const std::string& body, int devices = 4) {
    const RingProgram program(
        "kernel k()\n  in x: f32[1, 8] hbm\n  out o: f32[8, 8] hbm\n"
        "  sem s: count\n  sem sent: bytes\n  sem arrived: bytes\n{\n" +
        body + "\n}\n");
    return unrolled(program.run(devices));
  };
  EXPECT_EQ(reason("  copy x -> o[0 +: 1, :]", 1), "a ring has at least two devices");
  EXPECT_EQ(reason("  signal s on (device + 2) mod devices, 1\n  wait s, 1"),
            "with 4 devices, a distance of 2 has no direction");
  EXPECT_EQ(reason("  signal s on device, 1\n  n = read(s)\n  wait s, n"), "line 9 reads a count");
  EXPECT_EQ(reason("  wait s, 1"), "the run is not complete");
  EXPECT_EQ(reason("  if device == 2 { signal s on device, 1\n  wait s, 1 }"),
            "device 2 does not do the same as device 0 in line 8");
  // Each device sends to all others.
  EXPECT_EQ(reason("  for d in devices { start x -> d: o[device +: 1, :], sent, arrived }\n"
                   "  for d in devices {\n    wait arrived for x\n    wait sent for x\n  }"),
            "device 1 does not do the same as device 0 in line 8");
  // The budget.
  const RingProgram program(slots(3, 3));
  EXPECT_EQ(unrolled(program.run(3), {.budget = 100}),
            "a ring of 24 devices has more than 100 events");
}

TEST(UnrolledRing, devices_of_several_cores) {
  const auto text = [](const std::string& ack) {
    return "kernel k()\n  in x: f32[1, 8] hbm\n  hbm slot: f32[2, 8]\n  sem s: count\n"
           "  sem sent: bytes\n  sem arrived: bytes\n{\n"
           "  core_barrier(0)\n"
           "  for i in 2 {\n"
           "    start x -> (device + 1) mod devices core core: slot[core +: 1, :], sent, arrived\n"
           "    wait sent for x\n    wait arrived for x\n" +
           ack + "  }\n}\n";
  };
  const RunOptions options{.machine = {.devices = 3, .cores = 2}};
  const std::string chain =
      "    signal s on (device + 1) mod devices core core, 1\n    wait s, 1\n"
      "    signal s on (device + 1) mod devices core core, 1\n    wait s, 1\n";
  const std::string credit =
      "    signal s on (device + devices - 1) mod devices core core, 1\n    wait s, 1\n";
  for (const auto& [ack, expected] :
       {std::pair(chain, "rests on 10-10"), std::pair(credit, "quiet")}) {
    const RingProgram program(text(ack));
    const RingRun run = program.run(3, options);
    EXPECT_TRUE(run.is_proved());
    EXPECT_EQ(unrolled(run), expected);
    EXPECT_EQ(same_steps(run.record(), program.run(5, options).record()), SameSteps::same);
    EXPECT_EQ(program.first_not_proved(2, 8, options) == 0, ack == credit);
  }
}

// Two copies to the same device count on one cell. The first wait is for the first copy only if
// copies complete in order.
TEST(UnrolledRing, copies_in_order) {
  const RingProgram program(R"(
kernel k()
  in   x:    f32[1, 8] hbm
  out  o:    f32[2, 8] hbm
  hbm  slot: f32[2, 8]
  sem  sent: bytes
  sem  arrived: bytes
{
  right = (device + 1) mod devices
  neighbour_barrier((device - 1) mod devices, right, 0)
  for s in 2 { start x -> right: slot[s +: 1, :], sent, arrived }
  for s in 2 {
    wait arrived for x
    copy slot[s +: 1, :] -> o[s +: 1, :]
    wait sent for x
  }
}
)");
  for (const DmaOrder order : {DmaOrder::unordered, DmaOrder::fifo}) {
    const RunOptions options{.copies = {.order = order}};
    const RingRun run = program.run(3, options);
    EXPECT_EQ(run.is_proved(), order == DmaOrder::fifo);
    EXPECT_EQ(unrolled(run), order == DmaOrder::fifo ? "quiet" : "rests on 11-14");
    EXPECT_EQ(program.first_not_proved(2, 20, options), order == DmaOrder::fifo ? 0 : 2);
  }
}

TEST(UnrolledRing, same_steps_compares_rings_of_two_sizes) {
  const auto of = [](const std::string& words, int a, int b) {
    const auto run = [&](int devices) {
      return run_words(fmt::format(fmt::runtime(words), devices));
    };
    return same_steps(run(a).record(), run(b).record());
  };
  EXPECT_EQ(of("right-permute --m 8 --n 8 --devices {}", 4, 5), SameSteps::same);
  EXPECT_EQ(of("right-permute --m 8 --n 8 --devices {}", 3, 16), SameSteps::same);
  EXPECT_EQ(of("all-gather --m 8 --n 8 --devices {}", 4, 5), SameSteps::other_steps);
  const RingProgram two(slots(2, 4, 2)), chunks(R"(
kernel k()
  in  x: f32[1, 8] hbm
  out o: f32[16, 8] hbm
  sem sent: bytes
  sem arrived: bytes
{
  start x -> (device + 1) mod devices: o[device +: 1, :], sent, arrived
  wait sent for x
  wait arrived for x
}
)");
  // With 5 devices, distance 3 is -2.
  EXPECT_EQ(same_steps(two.run(5).record(), two.run(6).record()), SameSteps::same);
  EXPECT_EQ(same_steps(two.run(3).record(), two.run(5).record()), SameSteps::different);
  EXPECT_EQ(same_steps(chunks.run(5).record(), chunks.run(6).record()), SameSteps::other_boxes);
}

}  // namespace
}  // namespace tessera
