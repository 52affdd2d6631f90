// The races of a record in which each iteration of a parallel loop is an agent, found by every way
// to reach: the sweep suspects no fewer accesses than the forks decide.
#pragma once
#include <set>
#include <string>

#include "analysis/certificate/points/point_threads.h"
#include "tests/fuzz/schedules/analysis.h"

namespace tessera::fuzz {

// Records a run in which each iteration is complete before the next begins. False: it has findings.
inline bool records_in_sequence(const Program& per_point, const ProtocolNet& net,
                                const Promises& promises, Recorder& recorder) {
  RunOptions options = options_of(net, promises);
  options.schedule = "eager";
  options.copies.granularity = CopyGranularity::whole;
  options.copies.order = DmaOrder::unordered;
  options.observers.push_back(&recorder);
  const Expected<RunResult> run = tessera::run(per_point, no_operands(net), options);
  return checked(run, net).findings.empty();
}

inline std::set<StmtId> parallel_loops(const Program& program) {
  std::set<StmtId> loops;
  for (const StmtId i : program.body.ids()) {
    const auto* loop = std::get_if<For>(&program.body[i].op);
    if (loop != nullptr && loop->parallel != 0) loops.insert(i);
  }
  return loops;
}

inline std::string races_by_reach(const Record& record, SearchMode mode) {
  std::string text;
  for (const Race& race : freeze_one(record, mode).races) {
    const auto [x, y] = std::minmax({side(record, race.x), side(record, race.y)});
    text += fmt::format(" {}:{}-{}:{} x {}", x.first, static_cast<int>(x.second), y.first,
                        static_cast<int>(y.second), race.pairs);
  }
  return text;
}

// What differs between the ways; empty: nothing.
inline std::string thread_reaches_differ(const Program& per_point, const ProtocolNet& net,
                                         const Promises& promises) {
  Recorder recorder(promises.whole ? CopyGranularity::whole : CopyGranularity::partial, 1'000'000,
                    true);
  if (!records_in_sequence(per_point, net, promises, recorder)) return "";
  const std::set<StmtId> loops = parallel_loops(per_point);
  const PointThreads threads = as_threads(recorder.record(), loops);
  const std::string expected = races_by_reach(threads.record, SearchMode::targeted);
  std::string text;
  for (const SearchMode mode : {SearchMode::swept, SearchMode::adaptive}) {
    const std::string found = races_by_reach(threads.record, mode);
    if (found != expected)
      text += fmt::format("races{}, found{} by reach {}", expected, found, static_cast<int>(mode));
  }
  return text;
}

}  // namespace tessera::fuzz
