#include "analysis/certificate/certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/explore.h"
#include "analysis/certificate/record/fingerprint.h"
#include "analysis/certificate/show.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/observe/content_hash.h"
#include "interp/run.h"

namespace tessera {
namespace {

// Called if the runs have no finding.
void judge_explored(Certificate& certificate, std::string why) {
  certificate.verdict = SchedulesVerdict::explored;
  if (!std::holds_alternative<Explored>(certificate.evidence)) certificate.evidence = Explored{};
  std::get<Explored>(certificate.evidence).why = std::move(why);
}

}  // namespace

void judge(Certificate& certificate) {
  if (!certificate.findings.empty()) {
    certificate.verdict = SchedulesVerdict::refuted;
  } else if (!certificate.basis.broken.empty()) {
    judge_explored(certificate, fmt::format("condition {} does not hold",
                                            name(certificate.basis.broken.front().condition)));
  } else {
    certificate.verdict = SchedulesVerdict::proved;
    certificate.evidence = OneRun{};
  }
}

void judge_ended(Certificate& certificate, RunEnd end) {
  certificate.end = end;
  judge(certificate);
  if (certificate.verdict != SchedulesVerdict::refuted)
    judge_explored(certificate, end == RunEnd::stop ? "interrupted" : "budget");
}

std::int64_t Certificate::schedules() const {
  if (const auto* all = std::get_if<Exhausted>(&evidence)) return all->runs;
  const auto* some = std::get_if<Explored>(&evidence);
  return some == nullptr ? 1 : some->schedules;
}

std::string_view Certificate::why_explored() const {
  const auto* some = std::get_if<Explored>(&evidence);
  return some == nullptr ? std::string_view() : some->why;
}

std::string_view name(SchedulesVerdict verdict) {
  switch (verdict) {
    case SchedulesVerdict::proved:
      return "proved";
    case SchedulesVerdict::refuted:
      return "refuted";
    case SchedulesVerdict::explored:
      return "explored";
  }
  return "?";
}

namespace {

// Decides if a condition is broken: by all executions if they are few, otherwise by some schedules.
// Only races that were observed count.
Expected<Certificate> without_conditions(const Simulate& simulate, const CertifyOptions& options,
                                         const Certifier& recorded, Certificate first) {
  // Findings of the run itself are real, so other executions are not needed.
  const bool is_open = first.findings.size() == first.races.size();
  bool is_of_execution = false;
  if (is_open) {
    std::optional<Certificate> all = TRY(exhaust(simulate, options, first));
    if (all && all->is_exhausted()) return *std::move(all);
    is_of_execution = all.has_value();
    if (all) first = *std::move(all);
  }
  // Races of another execution were already shown with its own record.
  if (!is_of_execution) show_races(simulate, options, recorded.analysed(), recorded.order(), first);
  drop_unshown(first);
  if (first.verdict != SchedulesVerdict::explored) return first;
  return explore(simulate, options, std::move(first));
}

bool waits_for_points(const Certificate& certificate) {
  return std::any_of(certificate.basis.broken.begin(), certificate.basis.broken.end(),
                     [](const BrokenCondition& b) { return b.condition == Condition::points; });
}

// Certifies with copies in any order. A proof for any order includes copies in order.
Expected<Certificate> without_lanes(const Simulate& simulate, const CertifyOptions& options) {
  CertifyOptions how = options;
  how.run.copies.order = DmaOrder::unordered;
  return certify(simulate, how);
}

}  // namespace

Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options) try {
  Certifier certifier(options.granularity, options.budget, options.necessity, Reads::free,
                      options.listed);
  certifier.end_run_when_full();
  RunOptions run = within_budget(options);
  run.checks.loops = options.granularity;
  run.record.schedule = true;
  run.computes_values = false;
  run.observers.push_back(&certifier);
  RunResult result = TRY(simulate(run));
  Certificate certificate = certifier.certificate();
  // If a condition is broken, explore() compares the protocols of several runs.
  const bool is_named = options.is_named || !certificate.basis.broken.empty();
  if (is_named && !certifier.record().is_over_budget)
    certificate.statistics.program_hash = code_hash(print(*certifier.record().program));
  // The events of a run that ended early are dropped.
  if (is_named && certificate.end == RunEnd::program)
    certificate.statistics.protocol_hash = protocol_hash(certifier.record());
  certificate.run = std::move(result);
  certificate.run_schedule = run.schedule;
  certificate.run_landing = run.copies.granularity;
  certificate.run.certificate = nullptr;  // superseded by this certificate
  if (certificate.end != RunEnd::program) return certificate;
  const PointsVerdict* const points = certificate.run.points.get();
  if (points != nullptr && !points->findings.empty() &&
      certificate.run.findings.size() > certificate.races.size())
    certificate.points_witness = find_points_witness(simulate, options.run);
  if (certificate.basis.broken.empty()) {
    show_races(simulate, options, certifier.analysed(), certifier.order(), certificate);
    return certificate;
  }
  if (options.run.copies.order == DmaOrder::fifo && waits_for_points(certificate)) {
    Expected<Certificate> in_any_order = without_lanes(simulate, options);
    if (!in_any_order || in_any_order->verdict == SchedulesVerdict::proved) return in_any_order;
  }
  Expected<Certificate> decided =
      without_conditions(simulate, options, certifier, std::move(certificate));
  if (decided) decided->run.certificate = nullptr;
  return decided;
} catch (...) {
  return given_up("verifying the program");
}

Expected<Certificate> certify(const Program& expanded, const std::vector<Binding>& bindings,
                              const CertifyOptions& options) {
  return certify(
      [&](const RunOptions& run_options) { return run(expanded, bindings, run_options); }, options);
}

}  // namespace tessera
