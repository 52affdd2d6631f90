// Whether a proof for a ring of devices depends on the length of the ring.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/certificate/unrolled_ring/same_steps.h"
#include "analysis/certificate/unrolled_ring/unrolled_ring.h"
#include "cli/command.h"
#include "cli/verify_target.h"

namespace tessera::cli {

// Two places whose order comes only from a chain of waits around the ring.
struct ChainedPair {
  // Lines of the source, in the order of the text; 0: the begin or end of the kernel.
  int first = 0, second = 0;
  std::int32_t next_length = 0;  // as in LengthPair
};

struct RingLength {
  LengthVerdict verdict = LengthVerdict::not_analysed;
  std::string reason{};              // for LengthVerdict::not_analysed
  std::vector<ChainedPair> pairs{};  // for LengthVerdict::rests_on_length
  int devices = 0;
  // Comparison with the run on one device more; none: such a run is not possible or not complete.
  std::optional<SameSteps> with_one_more{};
};

// Unrolls the ring of devices of a target, which must be proved, and compares it with the same
// program on one device more. None for one device, or if the run is not complete. Fails if a run
// fails or the program cannot be opened.
Expected<std::optional<RingLength>> ring_length(const VerifyTarget& target);

// The result as lines of a report, and as JSON.
std::string ring_length_lines(const RingLength& length);
Json ring_length_json(const RingLength& length);

}  // namespace tessera::cli
