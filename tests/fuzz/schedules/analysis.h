// What the certificate's analysis says of a program, in the terms of the exploration.
#pragma once
#include <fmt/format.h>

#include <cstdlib>

#include "analysis/certificate/points/points.h"
#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/record/recorder.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "tests/fuzz/schedules/explore.h"

namespace tessera::fuzz {

struct Seen {
  std::set<NetRace> races, sums;
  bool deadlocks = false, leaves = false, ends_scope_early = false;
};

struct LoopSeen {
  ParallelLoop loop{};
  bool is_undecided = false;              // nobody compared its points as agents
  std::set<std::pair<int, int>> races;    // of two points, by line
  std::set<int> reads_before, undefined;  // lines that read
};

inline RunOptions options_of(const ProtocolNet& net, const Promises& promises) {
  RunOptions options{.machine = {.devices = net.devices, .cores = net.cores}};
  options.copies.order = promises.fifo ? DmaOrder::fifo : DmaOrder::unordered;
  options.machine.profile.shares_scoped_semaphores = !promises.own_scoped;
  return options;
}

inline NetAccess access(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return NetAccess::read;
    case AccessKind::write:
      return NetAccess::write;
    case AccessKind::accumulate:
      return NetAccess::accumulate;
    case AccessKind::lifetime:
      return NetAccess::lifetime;
  }
  return NetAccess::read;
}

inline std::pair<int, NetAccess> side(const Record& record, EventId e) {
  const RecordedEvent& event = record.events[e];
  int line = 0;
  if (event.statement) {
    const Program& program = *record.program;
    line = program.loc(event.statement).line;
  }
  return {line, access(event.access)};
}

template <typename T>
const T& checked(const Expected<T>& result, const ProtocolNet& net) {
  if (result) return *result;
  fmt::print(stderr, "{}{}", net.text, render(result.diags()));
  std::exit(2);
}

inline std::vector<Binding> no_operands(const ProtocolNet& net) {
  return std::vector<Binding>(static_cast<std::size_t>(net.devices));
}

inline Seen analyse(const Program& program, const ProtocolNet& net, const Promises& promises,
                    CopyGranularity granularity, const std::string& schedule, SearchMode mode) {
  Recorder recorder(promises.whole ? CopyGranularity::whole : CopyGranularity::partial, 1'000'000);
  RunOptions options = options_of(net, promises);
  options.schedule = schedule;
  options.copies.granularity = granularity;
  options.observers.push_back(&recorder);
  const Expected<RunResult> run = tessera::run(program, no_operands(net), options);
  Seen seen;
  for (const Finding& finding : checked(run, net).findings) {
    seen.deadlocks |= finding.kind == FindingKind::deadlock;
    seen.leaves |= has(finding.kind, FindingTrait::leftover);
    seen.ends_scope_early |= finding.kind == FindingKind::lifetime;
  }
  for (const Race& race : freeze_one(recorder.record(), mode).races) {
    NetRace found{side(recorder.record(), race.x), side(recorder.record(), race.y)};
    if (found.second < found.first) std::swap(found.first, found.second);
    (race.is_order ? seen.sums : seen.races).insert(found);
  }
  return seen;
}

inline bool says(const std::string& message, std::string_view words) {
  return message.find(words) != std::string::npos;
}

// By the line of each loop.
inline std::map<int, LoopSeen> judge_loops(const Program& per_point, const ProtocolNet& net,
                                           const Promises& promises) {
  const Expected<PointsVerdict> verdict =
      judge_points(per_point, no_operands(net), options_of(net, promises),
                   promises.whole ? CopyGranularity::whole : CopyGranularity::partial);
  std::map<int, LoopSeen> seen;
  for (const ParallelLoop& loop : checked(verdict, net).loops)
    seen[loop.loc.line] = {loop, verdict->of_the_run.empty() && loop.is_undecided()};
  for (const Finding& finding : verdict->findings) {
    const int line = finding.at.loc.line;
    int other = line, of = 0;
    for (const FindingPlace& note : finding.notes) {
      if (says(note.message, "points of this loop")) of = note.loc.line;
      if (says(note.message, "it here")) other = note.loc.line;
    }
    LoopSeen& loop = seen[of];
    const std::size_t first = finding.message.find("point ");
    if (says(finding.message, "both stored"))
      loop.undefined.insert(line);
    else if (says(finding.message, "as it was before the loop"))
      loop.reads_before.insert(line);
    else if (first != std::string::npos &&
             finding.message.find("point ", first + 1) != std::string::npos &&
             !says(finding.message, "waits for") && !says(finding.message, "wait for"))
      loop.races.insert(std::minmax(line, other));
  }
  return seen;
}

}  // namespace tessera::fuzz
