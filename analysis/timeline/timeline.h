// The times of the parts of a recorded run on the machine of its profile, in seconds from the
// start.
#pragma once
#include <span>

#include "analysis/timeline/timing.h"
#include "analysis/timeline/timing_record.h"
#include "core/report/finding.h"

namespace tessera {

// Receives the timeline of a run. Calls for one core, memory or link are in time order; calls for
// different ones are not. Cores, copies and cells are ids of the record. A cause is the number of a
// copy or of a core's signal; signals are numbered after the copies.
class TimelineListener {
 public:
  struct Arrival {
    std::int64_t cause = -1, amount = 0;
  };

  virtual ~TimelineListener() = default;
  // Called first. The record stays valid until end().
  virtual void begin(const TimingRecord& record) = 0;
  // Adds a finding of the run; called after begin(), before all times.
  virtual void finding(const Finding& /*finding*/) {}
  // A core begins the work of its step `step`.
  virtual void work(CoreIndex core, std::size_t step, double at) = 0;
  // A core has waited; begin == end if the count was available.
  virtual void wait(CoreIndex core, std::size_t step, double begin, double end) = 0;
  // A core has made its signal with the number `cause`. The signals of a run are numbered after its
  // copies.
  virtual void signal(CoreIndex core, std::size_t step, std::int64_t cause, double at) = 0;
  // A core starts a copy; all data has arrived at `end`.
  virtual void copy(CoreIndex core, std::size_t step, double begin, double end) = 0;
  // A copy uses a device's memory, or the link from a device to another one. other: -1 if the
  // device has one port for all links.
  virtual void memory(std::int32_t device, std::int32_t copy, double begin, double end) = 0;
  virtual void link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
                    double end) = 0;
  // A count has changed. arrival.cause: the cause that added to it; -1: a wait.
  virtual void count(std::int32_t cell, std::int64_t count, const Arrival& arrival, double at) = 0;
  // Called last. timing: the result of timeline().
  virtual void end(const Timing& timing) = 0;
};

// Replays the record in the order of time, and returns its times: cores work and wait; copies queue
// at memories and links. listeners: none may be null. findings: passed to the listeners.
Timing timeline(const TimingRecord& record, std::span<TimelineListener* const> listeners = {},
                std::span<const Finding> findings = {});

}  // namespace tessera
