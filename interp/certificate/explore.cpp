#include "interp/certificate/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/certificate/courses.h"
#include "interp/certificate/record/fingerprint.h"
#include "interp/certificate/show.h"
#include "interp/schedule/schedule.h"

namespace tessera {
namespace {

// A later run of the same program.
void identify(Certificate& certificate, const Certificate& first, const Record& record) {
  certificate.program_hash = first.program_hash;
  certificate.protocol_hash = protocol_hash(record);
}

}  // namespace

RunOptions within_budget(const CertifyOptions& options) {
  RunOptions run = options.run;
  if (run.max_steps == 0 || run.max_steps > options.budget) run.max_steps = options.budget;
  return run;
}

Expected<std::optional<Certificate>> exhaust(const Simulate& simulate,
                                             const CertifyOptions& options,
                                             const Certificate& first) {
  const std::optional<Certificate> none;
  const auto is_read = [](const BrokenCondition& b) { return b.condition == "C2"; };
  if (!std::all_of(first.broken.begin(), first.broken.end(), is_read)) return none;
  const Expected<Schedule> schedule = parse_schedule(options.run.schedule);
  if (!schedule) return schedule.diags();
  Certificate proved = first;
  proved.protocols = 0;
  std::set<std::vector<std::uint64_t>> outcomes;
  std::set<std::uint64_t> protocols;
  Courses courses;
  Courses::Beginning beginning{{}, options.run.schedule};
  for (std::int64_t i = 0;; ++i) {
    if (i >= options.exhaust) return none;
    Certifier certifier(options.partial, options.budget, false, Reads::pinned, options.listed);
    certifier.end_run_when_full();
    RunOptions run = within_budget(options);
    run.schedule = beginning.schedule;
    run.record_schedule = true;
    run.hash_results = true;
    // The steps of a beginning are those of copies that land as they are recorded.
    if (options.partial) run.landing = Landing::partial;
    run.observers.push_back(&certifier);
    Expected<RunResult> result = simulate(run);
    if (!result) return result.diags();
    const Certificate& found = certifier.certificate();
    if (found.verdict == SchedulesVerdict::refuted) {
      Certificate refuted = found;
      identify(refuted, first, certifier.record());
      refuted.broken = first.broken;
      refuted.same_in_every_schedule = false;
      refuted.schedules = i + 1;
      refuted.run = *std::move(result);
      show_races(simulate, options, certifier.analysed(), certifier.order(), refuted);
      return std::optional(std::move(refuted));
    }
    if (found.verdict != SchedulesVerdict::proved) return none;
    if (!courses.follow(certifier.record(), beginning, schedule->order)) return none;
    protocols.insert(protocol_hash(certifier.record()));
    std::vector<std::uint64_t> outcome;
    for (const ResultHash& hash : result->results) outcome.push_back(hash.hash);
    outcomes.insert(std::move(outcome));
    proved.schedules = i + 1;
    if (courses.is_empty()) break;
    // There are too many, whatever else these bring.
    if (i + 1 + courses.left() > options.exhaust) return none;
    beginning = courses.take();
  }
  proved.protocols = static_cast<std::int64_t>(protocols.size());
  proved.outcomes = static_cast<std::int64_t>(outcomes.size());
  proved.is_exhausted = true;
  proved.verdict = SchedulesVerdict::proved;
  proved.why_explored.clear();
  return std::optional(std::move(proved));
}

Expected<Certificate> explore(const Simulate& simulate, const CertifyOptions& options,
                              Certificate certificate) {
  constexpr int depth = 3;
  std::set<std::uint64_t> protocols = {certificate.protocol_hash};
  for (std::int64_t i = 1; i < options.schedules; ++i) {
    Certifier certifier(options.partial, options.budget, false, Reads::free, options.listed);
    certifier.end_run_when_full();
    RunOptions run = within_budget(options);
    run.record_schedule = true;
    run.schedule = i == 1   ? "lazy"
                   : i == 2 ? "lifo"
                   : i % 2  ? fmt::format("random:{}", i / 2)
                            : fmt::format("pct:{}:{}", i / 2, depth);
    run.observers.push_back(&certifier);
    Expected<RunResult> result = simulate(run);
    if (!result) return result.diags();
    // A schedule may go on for ever where another ends; a request to stop is for all of them.
    if (certifier.certificate().end != RunEnd::program && result->findings.empty()) {
      judge_ended(certificate, certifier.certificate().end);
      break;
    }
    if (run.schedule.starts_with("pct")) {
      ++certificate.pct_runs;
      certificate.pct_bound =
          pct_bound(run.devices * run.cores + result->stats.dmas, result->stats.steps, depth);
    }
    protocols.insert(protocol_hash(certifier.record()));
    if (certifier.certificate().verdict == SchedulesVerdict::refuted) {
      Certificate found = certifier.certificate();
      identify(found, certificate, certifier.record());
      found.schedules = i + 1;
      found.run = *std::move(result);
      show_races(simulate, options, certifier.analysed(), certifier.order(), found);
      drop_unshown(found);
      if (found.verdict == SchedulesVerdict::refuted) return found;
    }
    certificate.schedules = i + 1;
  }
  certificate.protocols = static_cast<std::int64_t>(protocols.size());
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
