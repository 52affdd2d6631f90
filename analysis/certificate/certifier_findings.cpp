// Adds the results of the analysis to the certificate: races, parallel loops, needed waits.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/races/race_report.h"

namespace tessera {

void Certifier::list_races(const RunResult& result, const Record& record,
                           const RaceAnalysis& analysis, const ControlFlow& control) {
  // A leftover may also arrive after the end of the kernel. Its own finding is sufficient.
  const bool is_left_over = any_has(result.findings, FindingTrait::leftover);
  const auto is_leave = [&](EventId e) {
    const RecordedEvent& event = record.events[e];
    const Range& range = record.ranges[event.range()];
    return range.kind == ObjectKind::none && range.object != 0;
  };
  // The leftover count at the end of a semaphore's scope depends on the signals before it.
  const auto ends_scope = [&](EventId e) {
    const RecordedEvent& event = record.events[e];
    const Range& range = record.ranges[event.range()];
    return event.access == AccessKind::lifetime && range.kind == ObjectKind::semaphore;
  };
  certificate_.unlisted.races = analysis.more.races + (is_left_over ? 0 : analysis.more.leaving);
  certificate_.unlisted.sums = analysis.more.sums;
  certificate_.unlisted.has_all = !analysis.is_truncated;
  if (analysis.is_truncated) certificate_.same_in_every_schedule = false;
  const Table<StmtId, bool>& in_race =
      is_left_over ? analysis.in_race : analysis.in_race_or_leaving;
  for (const StmtId i : control.reads.ids()) {
    if (!control.reads[i] || !in_race[i]) continue;
    certificate_.same_in_every_schedule = false;
    certificate_.racing_control = record.program->loc(i);
  }
  if (analysis.races.empty()) return;
  const auto is_of_copy = [&](EventId e) { return !record.is_core(record.event(e).agent); };
  const SignalTable signals(record);
  for (const Race& race : analysis.races) {
    if (is_left_over && (is_leave(race.x) || is_leave(race.y))) continue;
    if (ends_scope(race.x) || ends_scope(race.y)) certificate_.same_in_every_schedule = false;
    const std::size_t listed =
        race.is_order ? certificate_.order.size() : certificate_.races.size();
    if (listed >= listed_) {
      (race.is_order ? certificate_.unlisted.sums : certificate_.unlisted.races) += race.pairs;
    } else if (race.is_order) {
      certificate_.order.push_back(order_remark(record, signals, race));
    } else {
      certificate_.races.push_back(
          {.race = race,
           .finding = certificate_.findings.size(),
           .schedules = find_witness(record, signals, race.x, race.y, order_),
           .is_with_copy = is_of_copy(race.x) || is_of_copy(race.y)});
      certificate_.findings.push_back(race_finding(record, signals, race, control));
    }
  }
}

// Findings of runs of single iterations. If the run itself did not end, only its finding is listed.
void Certifier::judge_loops(RunResult& result) {
  if (points_ == nullptr || points_->loops.empty()) return;
  certificate_.loops = points_->loops;
  certificate_.basis.orders_parallel_loops = false;
  if (!result.is_complete) return;
  const std::size_t of_the_run = result.findings.size();
  const auto is_known = [&](const Finding& f) {
    return std::any_of(result.findings.begin(),
                       result.findings.begin() + static_cast<std::ptrdiff_t>(of_the_run),
                       [&](const Finding& known) {
                         return known.kind == f.kind && known.message == f.message &&
                                known.at.loc.line == f.at.loc.line;
                       });
  };
  std::vector<Finding> findings = points_->findings;
  findings.insert(findings.end(), points_->of_the_run.begin(), points_->of_the_run.end());
  for (const Finding& finding : findings) {
    if (is_known(finding)) continue;
    certificate_.findings.push_back(finding);
    result.findings.push_back(finding);
  }
  for (ParallelLoop& loop : certificate_.loops) {
    if (!loop.is_undecided()) continue;
    loop.any_order = loop.any_split = false;
    certificate_.basis.broken.push_back(
        {Condition::points, StmtId(), loop.loc,
         fmt::format("the points of the loop over {} signal or wait for others, {}", loop.name,
                     orders_copies_ ? "and which of them sends first over a link is not analysed "
                                      "where copies land in order"
                                    : "and the run has more events than this analysis supports")});
  }
}

void Certifier::explain_waits(const ControlFlow& control) {
  const Record& record = recorder_.record();
  const SignalTable signals(record);
  for (const NeededWait& wait : necessity(record)) {
    ExplainedWait explained{wait.need};
    FindingPlace& at = explained.remark.at;
    at.loc = record.program->loc(wait.statement);
    if (wait.need == Necessity::order) {
      const Finding race = race_finding(record, signals, *wait.race, control);
      at.message = fmt::format("needed for order: without it {}", race.message);
      explained.remark.notes.push_back(race.at);
      explained.remark.notes.back().message = "there";
    } else if (wait.need == Necessity::counts) {
      at.message = "needed for counts only: without it nothing races";
    } else {
      at.message = "not needed: its semaphore can be removed, with all its signals and waits";
    }
    certificate_.waits.push_back(std::move(explained));
  }
}

}  // namespace tessera
