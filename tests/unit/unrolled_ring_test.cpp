// Verdicts that rest on the length of a ring.
#include "analysis/certificate/unrolled_ring/unrolled_ring.h"

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

}  // namespace
}  // namespace tessera
