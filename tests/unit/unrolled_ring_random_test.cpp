// Random rings with a fixed number of steps: if the unrolled ring of one number of devices has no
// race, the program is proved for every number of devices.
//
// TESSERA_RINGS: number of programs; TESSERA_RINGS_SEED: first seed (scripts/nightly.sh).
#include <algorithm>

#include "interp/schedule/random.h"
#include "tests/unit/unrolled_ring_claims.h"

namespace tessera {
namespace {

using test::number;
using test::RingCounts;
using test::RingProgram;

// Kernels whose devices send through slots to devices at fixed distances, with few or no credits.
class RandomRing {
 public:
  explicit RandomRing(std::uint64_t seed) : random_(seed) {
    steps_ = 1 + below(7);
    const int streams = one_in(3) ? 2 : 1;
    for (int i = 0; i < streams; ++i) add_stream(i);
    barrier_in_loop();
    shuffle();
  }
  std::string text() const {
    std::string body;
    for (const std::string& statement : body_) body += "    " + statement + "\n";
    return fmt::format(
        "kernel ring()\n  in x: f32[1, 8] hbm\n{}  sem step: count\n{{\n{}  for s in {} {{\n{}  "
        "}}\n{}}}\n",
        declarations_, before_, steps_, body, after_);
  }
  int calls() const { return calls_; }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  bool one_in(int n) { return below(n) == 0; }

  void add_stream(int i) {
    constexpr int distances[] = {1, 1, 1, -1, -1, 2, -2};
    const int distance = distances[below(7)], slots = 1 + below(4);
    const int cells = one_in(3) ? 1 : one_in(2) ? slots : steps_;
    const auto at = [](int d) { return fmt::format("(device + devices + {}) mod devices", d); };
    const std::string to = at(distance), from = at(-distance);
    declarations_ += fmt::format(
        "  out o{0}: f32[{1}, 8] hbm\n  {2} slot{0}: f32[{3}, 8]\n  sem sent{0}: bytes\n"
        "  sem arrived{0}[{4}]: bytes\n  sem free{0}: count\n",
        i, steps_, one_in(2) ? "hbm" : "vmem", slots, cells);
    std::vector<std::string> ops;
    // Credits for at least `slots` - 1 steps; more are a mistake.
    const int credits = std::max(1, slots - 1 + below(3));
    const int kind =
        std::max(0, below(8) - 2);  // 0: none, 1: on the wrong device, 2: before the slot is read
    const std::string credit = fmt::format("if s + {} < {} {{ signal free{} on {}, 1 }}", credits,
                                           steps_, i, kind == 1 ? to : from);
    if (kind > 0) ops.push_back(fmt::format("if s >= {} {{ wait free{}, 1 }}", credits, i));
    const std::string slot = fmt::format("slot{}[s mod {} +: 1, :]", i, slots);
    const std::string remote =
        fmt::format("{}: {}, sent{}, arrived{}[s mod {}]", to, slot, i, i, cells);
    if (one_in(3)) {
      ops.push_back(
          fmt::format("if s == 0 {{ start x -> {} }} else {{ start slot{}[(s + {}) mod "
                      "{} +: 1, :] -> {} }}",
                      remote, i, slots - 1, slots, remote));
    } else {
      ops.push_back(fmt::format("start x -> {}", remote));
    }
    const std::string sent = fmt::format("wait sent{} for x", i);
    if (one_in(4))
      after_ += fmt::format("  for s in {} {{ {} }}\n", steps_, sent);
    else
      ops.push_back(sent);
    ops.push_back(fmt::format("wait arrived{}[s mod {}] for x", i, cells));
    if (kind == 2) ops.push_back(credit);
    ops.push_back(fmt::format("copy {} -> o{}[s +: 1, :]", slot, i));
    if (kind == 1 || kind > 2) ops.push_back(credit);
    interleave(ops);
  }

  void interleave(const std::vector<std::string>& ops) {
    std::size_t at = 0;
    for (const std::string& op : ops) {
      at = at + static_cast<std::size_t>(below(static_cast<int>(body_.size() - at) + 1));
      body_.insert(body_.begin() + static_cast<std::ptrdiff_t>(at++), op);
    }
  }

  // Barriers before the loop and in its steps.
  void barrier_in_loop() {
    const std::string left = "(device + devices - 1) mod devices",
                      right = "(device + 1) mod devices";
    const int kind = below(6);
    calls_ = one_in(4) ? 2 : 1;
    if (kind == 1)
      before_ = "  all_barrier(0)\n";
    else if (kind > 1)
      before_ = fmt::format("  neighbour_barrier({}, {}, 0, {})\n", left, right, kind % 2);
    if (one_in(3))
      body_.push_back(fmt::format(
          "if s mod {} == 0 {{ signal step on {}, 1; signal step on {}, 1; wait step, 2 }}",
          1 + below(3), left, right));
  }

  void shuffle() {
    for (int swaps = below(3); swaps > 0 && body_.size() > 1; --swaps) {
      const auto i = static_cast<std::size_t>(below(static_cast<int>(body_.size()) - 1));
      std::swap(body_[i], body_[i + 1]);
    }
  }

  SplitMix random_;
  int steps_ = 1, calls_ = 1;
  std::string declarations_, before_, after_;
  std::vector<std::string> body_;
};

TEST(UnrolledRing, quiet_random_rings_are_proved_for_every_length) {
  const std::uint64_t programs = number("TESSERA_RINGS", 60),
                      seed = number("TESSERA_RINGS_SEED", 1);
  RingCounts counts;
  for (std::uint64_t i = 0; i < programs; ++i) {
    const RandomRing random(seed + i);
    SCOPED_TRACE(random.text());
    compare(RingProgram(random.text(), random.calls()), counts, 3, 9);
  }
  if (std::getenv("TESSERA_RINGS") != nullptr) fmt::print("{}\n", counts.text());
  EXPECT_EQ(counts.wrong, 0);
  EXPECT_GT(counts.quiet, static_cast<int>(programs / 3)) << counts.text();
  EXPECT_GT(counts.fail_later, static_cast<int>(programs / 20)) << counts.text();
}

}  // namespace
}  // namespace tessera
