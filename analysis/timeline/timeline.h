// When each part of a recorded run happens on the machine of its profile, in seconds from the
// start.
#pragma once
#include <span>

#include "analysis/timeline/timing.h"
#include "analysis/timeline/timing_record.h"

namespace tessera {

// Is told what happens when. What concerns one core, one memory or one link is told in the order of
// time; what concerns different ones is not. Sites, copies and cells are numbers of the record.
// A cause is a copy, or a signal of a core, whose numbers follow those of the copies.
class TimelineListener {
 public:
  struct Arrival {
    std::int64_t cause = -1, amount = 0;
  };

  virtual ~TimelineListener() = default;
  // Before anything else; the record lives until end().
  virtual void begin(const TimingRecord& record) = 0;
  // A core works on step `step` of its own from `at` on.
  virtual void work(CoreIndex core, std::size_t step, double at) = 0;
  // It waited, for no time where the count was there.
  virtual void wait(CoreIndex core, std::size_t step, double begin, double end) = 0;
  virtual void signal(CoreIndex core, std::size_t step, std::int64_t cause, double at) = 0;
  // A copy is started; all that it moves is there at `end`.
  virtual void copy(CoreIndex core, std::size_t step, double begin, double end) = 0;
  // A device's memory, or the link from it to another device (-1: to all, where it has one port),
  // moves a copy's data.
  virtual void memory(std::int32_t device, std::int32_t copy, double begin, double end) = 0;
  virtual void link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
                    double end) = 0;
  // A count changed: by what `cause` added, or by a wait, which has none (-1).
  virtual void count(std::int32_t cell, std::int64_t count, const Arrival& arrival, double at) = 0;
  virtual void end(const Timing& timing) = 0;
};

// Plays the record again in the order of time: cores work and wait, copies take their turns at
// memories and links.
Timing timeline(const TimingRecord& record, std::span<TimelineListener* const> listeners = {});

}  // namespace tessera
