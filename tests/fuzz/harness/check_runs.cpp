#include "tests/fuzz/harness/check_runs.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/promises.h"
#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/missing_wait.h"
#include "analysis/timeline/timing.h"
#include "interp/observe/observer.h"
#include "interp/observe/trace_text.h"
#include "interp/schedule/schedule.h"
#include "tests/fuzz/harness/simulated.h"
#include "tests/mutation/mutation_test.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t certified_events = 6000;

// A run is a function of program, operands and schedule; its schedule's text repeats it.
void check_replay(const Runs& runs, const RunOptions& how, const RunResult& result) {
  const Expected<Schedule> schedule = parse_schedule(result.schedule);
  REQUIRE(schedule, result.schedule);
  REQUIRE(to_string(*schedule) == result.schedule, result.schedule);
  RunOptions again = how;
  again.schedule = result.schedule;
  const Expected<RunResult> second = runs.run(again);
  if (!second) {
    REQUIRE(is_refused(second.diags()), render(second.diags()));
    return;
  }
  if (is_truncated(*second) || is_truncated(result)) return;
  REQUIRE(second->trace_hash == result.trace_hash && second->results == result.results,
          "the replay is another run: " + result.schedule);
  REQUIRE(second->findings.size() == result.findings.size(), "the replay has other findings");
}

// What is proved has no finding, and one result, under another schedule.
void check_proof(const Runs& runs, RunOptions how, const Certificate& certificate,
                 std::uint64_t draw) {
  if (certificate.verdict != SchedulesVerdict::proved || is_truncated(certificate.run)) return;
  how.record.results = true;
  how.schedule = "eager";
  const Expected<RunResult> first = runs.run(how);
  // Points that signal others are proved as agents of their own. A run takes them one after the
  // other, and where each device has an order of its own, they may wait for each other.
  bool synchronises = false, splits = !certificate.loops.empty();
  for (const ParallelLoop& loop : certificate.loops) {
    synchronises = synchronises || loop.synchronises;
    splits = splits && loop.any_split;
  }
  how.schedule = synchronises ? "lifo" : "random:" + std::to_string(draw);
  if (splits && !synchronises && how.observers.empty())
    how.machine.loop_workers = 2 + (draw >> 8 & 1);
  const Expected<RunResult> second = runs.run(how);
  if (!first || !second || is_truncated(*first) || is_truncated(*second)) return;
  if (first->end != RunEnd::program || second->end != RunEnd::program) return;
  REQUIRE(first->findings.empty() && second->findings.empty() && second->is_complete,
          "proved, and a schedule has a finding: " + how.schedule + "\n" +
              (second->findings.empty() ? "" : render(second->findings.front())));
  const auto* all = std::get_if<Exhausted>(&certificate.evidence);
  const bool has_one_end = all == nullptr || all->outcomes == 1;
  if (certificate.order.empty() && has_one_end && !certificate.basis.orders_parallel_loops)
    REQUIRE(first->results == second->results,
            "proved, and results depend on the schedule: " + how.schedule);
}

void check_verdict(const Case& about, const Runs& runs, const Profile& profile,
                   const RunOptions& how) {
  const Directive& d = about.directive;
  CertifyOptions options{.run = how, .granularity = d.granularity, .budget = certified_events};
  options.exhaust = 20;
  options.schedules = 3;
  options.shown = 3;
  options.necessity = d.asks_necessity;
  const Simulate simulate = [&](const RunOptions& o) { return runs.run(o); };
  Expected<Certificate> certificate = certify(simulate, options);
  if (!certificate) return require_said(certificate.diags());
  require_shown(certificate->findings);
  RunOptions granularity = how;
  granularity.copies.granularity = d.granularity;
  check_proof(runs, granularity, *certificate, about.draw);
  if (certificate->verdict == SchedulesVerdict::proved && d.asks_mutants) {
    const auto mutants = mutation_test(simulate, options);
    if (!mutants) require_said(mutants.diags());
  }
  if (certificate->verdict != SchedulesVerdict::refuted) return;
  if ((about.draw & 3) == 0) {
    const auto promises = stronger_promises(simulate, options, *certificate);
    if (!promises) require_said(promises.diags());
  }
  if ((about.draw & 3) != 1) return;
  options.shown = 0;
  options.exhaust = 0;
  options.schedules = 1;
  options.run.schedule = "eager";
  suggest_waits(about.module, certificate->findings,
                [&](const std::string& text) -> Expected<Certificate> {
                  const Expected<Program> other = about.instantiated(text);
                  if (!other) return other.diags();
                  Operands operands;
                  if (const auto made = operands.make(*other, d); !made) return made.diags();
                  const Runs with_wait(*other, operands, profile);
                  return certify([&](const RunOptions& o) { return with_wait.run(o); }, options);
                });
  require_shown(certificate->findings);
}

// Of each race the accesses, by their statements.
std::set<std::array<std::int32_t, 4>> places(const RaceAnalysis& analysis, const Record& record) {
  std::set<std::array<std::int32_t, 4>> all;
  for (const Race& race : analysis.races) {
    const RecordedEvent &x = record.events[race.x], &y = record.events[race.y];
    std::array<std::int32_t, 2> a = {x.statement.index, static_cast<std::int32_t>(x.access)},
                                b = {y.statement.index, static_cast<std::int32_t>(y.access)};
    if (b < a) std::swap(a, b);
    all.insert({a[0], a[1], b[0], b[1]});
  }
  return all;
}

// The plain way of the analysis and the fast ones find the same races.
void check_analysis(const Runs& runs, RunOptions how, CopyGranularity granularity) {
  constexpr std::size_t few_events = 400;
  Certifier certifier(granularity, certified_events);
  how.observers.push_back(&certifier);
  const Expected<RunResult> result = runs.run(how);
  if (!result || is_truncated(*result)) return;
  const Record& record = certifier.record();
  if (certifier.certificate().end != RunEnd::program || record.events.size() > few_events) return;
  const auto expected = places(freeze_one(record, SearchMode::exhaustive), record);
  for (const SearchMode mode : {SearchMode::targeted, SearchMode::swept, SearchMode::adaptive})
    REQUIRE(places(freeze_one(record, mode), record) == expected,
            "reach " + std::to_string(static_cast<int>(mode)) + " finds other races");
}

// Asks to stop at its N-th event.
class Asking : public Observer {
 public:
  Asking(Deadline& deadline, std::int64_t after) : deadline_(deadline), left_(after) {}
  void on(const Event&) override { come(); }
  void end(RunResult&) override { come(); }

 private:
  void come() {
    if (left_-- == 0) deadline_.end_now();
  }
  Deadline& deadline_;
  std::int64_t left_;
};

}  // namespace

void check_runs(const Case& about, Deadline& deadline) {
  const Directive& d = about.directive;
  const Expected<Profile> profile = find_profile(d.profile);
  if (!profile) return require_said(profile.diags());
  Operands operands;
  if (const Expected<bool> made = operands.make(about.program, d); !made)
    return require_said(made.diags());
  const Runs runs(about.program, operands, *profile);

  RunOptions how = d.run;
  const StopScope scope(deadline.stop());
  Asking asking(deadline, d.stopping_after);
  if (how.checks.enabled && d.stopping_after >= 0) how.observers = {&asking};
  RunOptions watched = how;
  watched.record.schedule = watched.record.results = true;
  std::size_t traced = 0;
  TextTrace trace([&](std::string_view line) { traced += line.size(); });
  TimingObserver timing(profile->rates);
  if (watched.checks.enabled && (about.draw & 4) != 0) watched.observers.push_back(&trace);
  if (watched.checks.enabled && d.is_timed) watched.observers.push_back(&timing);
  const Expected<RunResult> result = runs.run(watched);
  if (!result) return;
  watched.observers = how.observers;
  if (!result->schedule.empty() && d.failing_after < 0) check_replay(runs, watched, *result);
  how.machine.loop_workers = 0;  // those are for runs
  check_verdict(about, runs, *profile, how);
  if (how.checks.enabled) check_analysis(runs, how, d.granularity);
}

}  // namespace tessera::fuzz
