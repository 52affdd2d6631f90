// Compares claims about all lengths of a ring with the verdicts of each length.
#pragma once
#include <algorithm>
#include <cstdlib>

#include "analysis/certificate/unrolled_ring/same_steps.h"
#include "tests/unit/unrolled_ring_support.h"

namespace tessera::test {

// Lengths up to this one are verified.
constexpr int max_devices = 40;

// Returns the number in an environment variable.
inline std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct RingCounts {
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
class RingVerdicts {
 public:
  explicit RingVerdicts(const RingProgram& program)
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
inline void compare(const RingProgram& program, RingVerdicts& verdicts, int devices,
                    RingCounts& counts) {
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

// The same for runs of `first` to `last` devices.
inline void compare(const RingProgram& program, RingCounts& counts, int first, int last) {
  ++counts.programs;
  RingVerdicts verdicts(program);
  for (int devices = first; devices <= last; ++devices) compare(program, verdicts, devices, counts);
}

}  // namespace tessera::test
