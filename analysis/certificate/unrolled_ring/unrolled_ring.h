// Decides whether a verdict for a ring rests on its length: two accesses may be ordered only by a
// chain of waits once around the ring, which is longer in a longer ring.
//
// The ring is unrolled to a ring of k times as many devices that execute the same events. If
// blocked accesses leave a gap in it (gap.h), it stands for a line without end. A race of the ring,
// or of any other ring whose devices execute these events, is a race of the line. The converse is
// false: the pairs of the line that race may be ordered in each ring.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

struct UnrollOptions {
  // Max number of events of an unrolled ring. The search for the gap and for longer lengths may
  // replay 20 times as many events.
  std::int64_t budget = 10'000'000;
  std::size_t max_races = 20;  // as in freeze_one()
  // Max number of devices to try for LengthPair::next_length; 0: none.
  std::int32_t max_devices = 0;
};

// Two accesses that race in the unrolled ring, the first by canonical key of their statements.
struct LengthPair {
  EventId x{}, y{};           // events of the record
  StmtId first, second;       // their statements in the order of the text
  std::int32_t distance = 0;  // along the ring, from the device of x to the device of y
  std::int64_t pairs = 0;     // number of such pairs
  // Smallest larger number of devices with which the statements race if the devices execute the
  // same events, that is, with the same number of steps. 0: not found, or not searched because
  // devices access different rectangles.
  std::int32_t next_length = 0;
};

enum class LengthVerdict : std::uint8_t {
  quiet,            // no race: the order of all accesses is the same in each ring of these events
  rests_on_length,  // `pairs` race in the unrolled ring
  not_analysed      // `reason` is set
};

struct UnrolledRing {
  LengthVerdict verdict = LengthVerdict::not_analysed;
  std::string reason;             // a clause; for LengthVerdict::not_analysed
  std::vector<LengthPair> pairs;  // in the order of the text
  bool has_more_pairs = false;    // max_races were found
  std::int32_t devices = 0;       // in the unrolled ring
  std::int32_t reach = 0;         // max distance between devices that access each other
  bool has_equal_boxes = false;   // all devices access the same rectangles (Ring)
  std::int64_t events_replayed = 0;
};

// Analyses the record of a run whose certificate is proved: with whole and partial copies as in the
// record, without races and violated conditions. Otherwise races of the ring itself are found
// again. Unordered sums (Race::is_order) are no races. Throws Interrupted if current_stop() is set.
UnrolledRing unroll_ring(const Record& record, const UnrollOptions& options = {});

}  // namespace tessera
