#include "analysis/certificate/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/executions.h"
#include "analysis/certificate/record/fingerprint.h"
#include "analysis/certificate/show.h"
#include "core/report/try.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

// Fills in the hashes and options of a later run of the same program.
void identify(Certificate& certificate, const Certificate& first, const Record& record,
              const RunOptions& run, RunResult result) {
  certificate.statistics.program_hash = first.statistics.program_hash;
  certificate.statistics.protocol_hash = protocol_hash(record);
  certificate.run = std::move(result);
  certificate.run_schedule = run.schedule;
  certificate.run_landing = run.copies.granularity;
}

}  // namespace

RunOptions within_budget(const CertifyOptions& options) {
  RunOptions run = options.run;
  run.max_steps = std::min(run.max_steps, options.budget);
  return run;
}

Expected<std::optional<Certificate>> exhaust(const Simulate& simulate,
                                             const CertifyOptions& options,
                                             const Certificate& first) {
  const std::optional<Certificate> none;
  const auto is_read = [](const BrokenCondition& b) {
    return b.condition == Condition::waits_only;
  };
  if (!std::all_of(first.basis.broken.begin(), first.basis.broken.end(), is_read)) return none;
  const Schedule schedule = TRY(parse_schedule(options.run.schedule));
  Exhausted evidence;
  std::set<std::vector<std::uint64_t>> outcomes;
  std::set<std::uint64_t> protocols;
  Executions executions;
  Executions::Beginning beginning{{}, options.run.schedule};
  for (std::int64_t i = 0;; ++i) {
    if (i >= options.exhaust) return none;
    Certifier certifier(options.granularity, options.budget, false, Reads::pinned, options.listed);
    certifier.end_run_when_full();
    RunOptions run = within_budget(options);
    run.schedule = beginning.schedule;
    run.record.schedule = true;
    run.record.results = true;
    // The steps of a beginning fit only copies of the recorded granularity.
    if (options.granularity == CopyGranularity::partial)
      run.copies.granularity = CopyGranularity::partial;
    run.observers.push_back(&certifier);
    RunResult result = TRY(simulate(run));
    const Certificate& found = certifier.certificate();
    if (found.verdict == SchedulesVerdict::refuted) {
      Certificate refuted = found;
      identify(refuted, first, certifier.record(), run, std::move(result));
      refuted.basis.broken = first.basis.broken;
      refuted.same_in_every_schedule = false;
      refuted.evidence = Explored{.why = {}, .schedules = i + 1};
      show_races(simulate, options, certifier.analysed(), certifier.order(), refuted);
      return std::optional(std::move(refuted));
    }
    if (found.verdict != SchedulesVerdict::proved) return none;
    if (!executions.follow(certifier.record(), beginning, schedule.order)) return none;
    protocols.insert(protocol_hash(certifier.record()));
    std::vector<std::uint64_t> outcome;
    for (const ResultHash& hash : result.results) outcome.push_back(hash.hash);
    outcomes.insert(std::move(outcome));
    evidence.runs = i + 1;
    if (executions.is_empty()) break;
    // There are too many runs, even if these add no more.
    if (i + 1 + executions.left() > options.exhaust) return none;
    beginning = executions.take();
  }
  evidence.executions = static_cast<std::int64_t>(protocols.size());
  evidence.outcomes = static_cast<std::int64_t>(outcomes.size());
  Certificate proved = first;
  proved.evidence = evidence;
  proved.verdict = SchedulesVerdict::proved;
  return std::optional(std::move(proved));
}

Expected<Certificate> explore(const Simulate& simulate, const CertifyOptions& options,
                              Certificate certificate) {
  constexpr int depth = 3;
  Explored explored = std::get<Explored>(certificate.evidence);
  std::set<std::uint64_t> protocols = {certificate.statistics.protocol_hash};
  for (std::int64_t i = 1; i < options.schedules; ++i) {
    Certifier certifier(options.granularity, options.budget, false, Reads::free, options.listed);
    certifier.end_run_when_full();
    RunOptions run = within_budget(options);
    run.record.schedule = true;
    run.schedule = explored_schedule(i, depth);
    run.observers.push_back(&certifier);
    RunResult result = TRY(simulate(run));
    // One schedule may run forever although another ends. A request to stop applies to all.
    if (certifier.certificate().end != RunEnd::program && result.findings.empty()) {
      judge_ended(certificate, certifier.certificate().end);
      explored.why = certificate.why_explored();
      break;
    }
    if (FaultBound* const bound = strategy_of(TRY(parse_schedule(run.schedule))).bound) {
      const double found = bound(run.machine.devices * run.machine.cores + result.stats.dmas,
                                 result.stats.steps, depth);
      explored.pct_bound += (1 - explored.pct_bound) * found;
    }
    protocols.insert(protocol_hash(certifier.record()));
    if (certifier.certificate().verdict == SchedulesVerdict::refuted) {
      Certificate found = certifier.certificate();
      identify(found, certificate, certifier.record(), run, std::move(result));
      found.evidence = Explored{.why = {}, .schedules = i + 1};
      show_races(simulate, options, certifier.analysed(), certifier.order(), found);
      drop_unshown(found);
      if (found.verdict == SchedulesVerdict::refuted) return found;
    }
    explored.schedules = i + 1;
  }
  explored.executions = static_cast<std::int64_t>(protocols.size());
  certificate.evidence = std::move(explored);
  return certificate;
}

void drop_unshown(Certificate& certificate) {
  std::vector<Finding> findings;
  std::vector<RaceWitness> races;
  for (std::size_t i = 0; i < certificate.findings.size(); ++i) {
    const auto race = std::find_if(certificate.races.begin(), certificate.races.end(),
                                   [&](const RaceWitness& r) { return r.finding == i; });
    if (race != certificate.races.end() && !race->is_shown) continue;
    if (race != certificate.races.end()) {
      races.push_back(*race);
      races.back().finding = findings.size();
    }
    findings.push_back(certificate.findings[i]);
  }
  certificate.findings = std::move(findings);
  certificate.races = std::move(races);
  judge(certificate);
}

}  // namespace tessera
