// Random rings with a fixed number of steps: if the unrolled ring of one number of devices has no
// race, the program is proved for every number of devices.
//
// TESSERA_RINGS: number of programs; TESSERA_RINGS_SEED: first seed (scripts/nightly.sh).
#include <algorithm>
#include <cstdlib>

#include "analysis/certificate/unrolled_ring/same_steps.h"
#include "interp/schedule/random.h"
#include "tests/unit/unrolled_ring_support.h"

namespace tessera {
namespace {

using test::RingProgram;
using test::RingRun;

constexpr int max_devices = 40;

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

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

struct Counts {
  int programs = 0, refuted = 0, not_analysed = 0, other_steps = 0, quiet = 0, wrong = 0;
  int flagged = 0, fail_later = 0, wrong_next = 0;
  std::string text() const {
    return fmt::format(
        "{} programs; rings: {} not proved, {} not analysed, {} with other steps, {} quiet ({} "
        "wrong), {} flagged ({} fail later, {} with another next length)",
        programs, refuted, not_analysed, other_steps, quiet, wrong, flagged, fail_later,
        wrong_next);
  }
};

// Verdicts of a program by number of devices, computed when they are used.
class Verdicts {
 public:
  explicit Verdicts(const RingProgram& program)
      : program_(program), known_(static_cast<std::size_t>(max_devices) + 1, -1) {}
  bool is_proved(int devices) {
    int& known = known_[static_cast<std::size_t>(devices)];
    if (known < 0) known = program_.run(devices).is_proved() ? 1 : 0;
    return known == 1;
  }
  // First number of devices in [first, last] for which the program is not proved, or 0.
  int first_not_proved(int first, int last) {
    for (int devices = first; devices <= last; ++devices)
      if (!is_proved(devices)) return devices;
    return 0;
  }

 private:
  const RingProgram& program_;
  std::vector<int> known_;
};

// Compares the unrolled ring of a proved run with the verdicts for all numbers of devices.
void compare(const RingProgram& program, Verdicts& verdicts, int devices, Counts& counts) {
  const RingRun run = program.run(devices);
  if (!run.is_proved()) {
    ++counts.refuted;
    return;
  }
  const UnrolledRing ring = unroll_ring(run.record(), {.max_devices = max_devices});
  if (ring.verdict == LengthVerdict::not_analysed) {
    ++counts.not_analysed;
    return;
  }
  // One more device: distances modulo both numbers of devices are known.
  if (same_steps(run.record(), program.run(devices + 1).record()) != SameSteps::same) {
    ++counts.other_steps;
    return;
  }
  const int later = verdicts.first_not_proved(devices + 1, max_devices);
  if (ring.verdict == LengthVerdict::quiet) {
    ++counts.quiet;
    const int earlier = verdicts.first_not_proved(2, devices - 1);
    counts.wrong += later > 0 || earlier > 0 ? 1 : 0;
    EXPECT_EQ(later, 0) << devices << print(program.expanded());
    EXPECT_EQ(earlier, 0) << devices << print(program.expanded());
    return;
  }
  ++counts.flagged;
  counts.fail_later += later > 0 ? 1 : 0;
  int next = 0;
  for (const LengthPair& pair : ring.pairs)
    if (pair.next_length > 0)
      next = next == 0 ? pair.next_length : std::min(next, pair.next_length);
  counts.wrong_next += next != later ? 1 : 0;
  EXPECT_EQ(next, later) << devices << print(program.expanded());
}

void compare(const RingProgram& program, Counts& counts) {
  ++counts.programs;
  Verdicts verdicts(program);
  for (int devices = 3; devices <= 9; ++devices) compare(program, verdicts, devices, counts);
}

TEST(UnrolledRing, quiet_random_rings_are_proved_for_every_length) {
  const std::uint64_t programs = number("TESSERA_RINGS", 60),
                      seed = number("TESSERA_RINGS_SEED", 1);
  Counts counts;
  for (std::uint64_t i = 0; i < programs; ++i) {
    const RandomRing random(seed + i);
    SCOPED_TRACE(random.text());
    compare(RingProgram(random.text(), random.calls()), counts);
  }
  if (std::getenv("TESSERA_RINGS") != nullptr) fmt::print("{}\n", counts.text());
  EXPECT_EQ(counts.wrong, 0);
  EXPECT_GT(counts.quiet, static_cast<int>(programs / 3)) << counts.text();
  EXPECT_GT(counts.fail_later, static_cast<int>(programs / 20)) << counts.text();
}

}  // namespace
}  // namespace tessera
