#include "interp/certificate/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>

#include "core/host/host_memory.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "interp/certificate/explore.h"
#include "interp/certificate/races/pinned.h"
#include "interp/certificate/races/race_report.h"
#include "interp/certificate/record/fingerprint.h"
#include "interp/certificate/show.h"
#include "interp/schedule/schedule.h"

namespace tessera {
namespace {

void describe_program(const Record& record, Certificate& certificate) {
  certificate.version = TESSERA_VERSION;
  certificate.is_partial = record.is_partial;
  for (const Semaphore& semaphore : record.program->semaphores)
    certificate.has_automatic_barrier |=
        semaphore.kind == SemKind::barrier && semaphore.collective < 0;
}

void describe(const Record& record, Certificate& certificate) {
  certificate.agents = static_cast<std::int64_t>(record.agents.size());
  certificate.events = static_cast<std::int64_t>(record.events.size());
  certificate.semaphores = static_cast<std::int64_t>(record.cells.size());
  certificate.accesses = record.accesses;
  certificate.transfers = record.transfers;
  certificate.peak_in_flight = record.peak_in_flight;
  certificate.orders_parallel_loops = !record.points.empty();
  certificate.method = "freeze-one";
}

}  // namespace

void judge(Certificate& certificate) {
  if (!certificate.findings.empty()) {
    certificate.verdict = SchedulesVerdict::refuted;
  } else if (!certificate.broken.empty()) {
    certificate.verdict = SchedulesVerdict::explored;
    certificate.why_explored =
        fmt::format("condition {} does not hold", certificate.broken.front().condition);
  } else {
    certificate.verdict = SchedulesVerdict::proved;
  }
}

void judge_ended(Certificate& certificate, RunEnd end) {
  certificate.end = end;
  judge(certificate);
  if (certificate.verdict == SchedulesVerdict::refuted) return;
  certificate.verdict = SchedulesVerdict::explored;
  certificate.why_explored = end == RunEnd::stop ? "interrupted" : "budget";
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

void Certifier::begin(const Program& program, const RunOptions& options) {
  certificate_ = {};
  pinned_.reset();
  profile_ = options.profile.text();
  const auto schedule = parse_schedule(options.schedule);
  order_ = schedule ? schedule->order : std::nullopt;
  points_ = options.points;
  orders_copies_ = options.dma_order == DmaOrder::fifo;
  relay_.reset();
  relayed_from_ = 1'000'000;
  recorder_.begin(program, options);
}

void Certifier::on(const Event& event) {
  if (relayed_from_ > 0) {
    --relayed_from_;
    return recorder_.on(event);
  }
  if (!relay_) {
    try {
      relay_.emplace([this](std::span<const Kept> batch) {
        for (const Kept& kept : batch) {
          Event later = kept.event;
          if (later.box != nullptr) later.box = &kept.box;
          recorder_.take(later);
        }
      });
    } catch (const std::system_error&) {  // there is no thread to be had
      relayed_from_ = std::numeric_limits<std::int64_t>::max();
      return recorder_.on(event);
    }
  }
  recorder_.note_loops(event);
  Kept& kept = relay_->next();
  kept.event = event;
  if (event.box != nullptr) kept.box = *event.box;
}

void Certifier::end(RunResult& result) {
  if (result.end != RunEnd::program) {
    give_up(result, result.end);
  } else if (points_ != nullptr && points_->end != RunEnd::program) {
    give_up(result, points_->end);
  } else {
    try {
      if (relay_) relay_->finish();
      analyse(result);
    } catch (const Interrupted&) {
      give_up(result, RunEnd::stop);
    } catch (const std::bad_alloc&) {
      give_up(result, RunEnd::memory);
    } catch (const std::length_error&) {
      give_up(result, RunEnd::memory);
    }
  }
  result.certificate = std::make_shared<const Certificate>(certificate_);
}

// What the run itself met stays.
void Certifier::give_up(const RunResult& result, RunEnd end) {
  if (end == RunEnd::memory) MemoryCap::use_reserve();
  relay_.reset();
  recorder_.drop();
  pinned_.reset();
  certificate_ = {};
  certificate_.profile = profile_;
  certificate_.findings = result.findings;
  certificate_.events = recorder_.events();
  describe_program(recorder_.record(), certificate_);
  judge_ended(certificate_, end);
}

void Certifier::analyse(RunResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  recorder_.end(result);
  const Record& recorded = recorder_.record();
  certificate_.profile = profile_;
  certificate_.findings = result.findings;
  describe_program(recorded, certificate_);
  if (recorded.is_over_budget) {
    certificate_.events = recorder_.events();
    judge_ended(certificate_, RunEnd::events);
    return;
  }
  // What counts were read decides what came after: races are those of runs that read the same.
  if (!recorded.sem_reads.empty()) pinned_ = with_reads_pinned(recorded);
  const Record& record = analysed();
  const RaceAnalysis analysis = freeze_one(record, Reach::adaptive, listed_);
  const ControlFlow control = control_flow(*record.program, record.choices);
  describe(recorded, certificate_);
  certificate_.forks = analysis.forks;
  certificate_.moved = analysis.moved;
  for (std::size_t b = 0; b < control.buffers.size(); ++b)
    if (control.buffers[b] && record.program->buffers[b].role == Role::in)
      certificate_.control_inputs.push_back(record.program->buffers[b].name);
  certificate_.control_reads = std::count(control.reads.begin(), control.reads.end(), true);
  certificate_.broken = broken_conditions(record, control, analysis);
  judge_loops(result);
  if (reads_ == Reads::pinned)
    std::erase_if(certificate_.broken,
                  [](const BrokenCondition& b) { return b.condition == "C2"; });
  certificate_.same_in_every_schedule = certificate_.broken.empty();
  // Where a copy changes a count that is read, nothing can be pinned, and an ordinary run does not
  // try whether such a race is one.
  const bool is_guess = reads_ == Reads::unsettled && !recorded.sem_reads.empty() && !pinned_;
  const std::size_t before = certificate_.findings.size();
  if (!is_guess) list_races(result, record, analysis, control);
  // Room first: where memory ends while copies are inserted, what was there would be lost.
  result.findings.reserve(result.findings.size() + certificate_.findings.size() - before);
  result.findings.insert(result.findings.end(),
                         certificate_.findings.begin() + static_cast<std::ptrdiff_t>(before),
                         certificate_.findings.end());
  judge(certificate_);
  if (asks_necessity_ && certificate_.verdict == SchedulesVerdict::proved) explain_waits(control);
  certificate_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Certifier::list_races(const RunResult& result, const Record& record,
                           const RaceAnalysis& analysis, const ControlFlow& control) {
  // What is left over may also come after the end: the report on it says enough.
  const bool is_left_over =
      std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& f) {
        return f.kind == FindingKind::semaphore_leak || f.kind == FindingKind::unwaited_dma;
      });
  const auto is_leave = [&](std::int32_t e) {
    const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
    const Range& range = record.ranges[static_cast<std::size_t>(event.object)];
    return range.kind == ObjectKind::none && range.object != 0;
  };
  // What is left where the scope of a semaphore ends depends on the signals that come before.
  const auto ends_scope = [&](std::int32_t e) {
    const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
    const Range& range = record.ranges[static_cast<std::size_t>(event.object)];
    return event.access == AccessKind::life && range.kind == ObjectKind::semaphore;
  };
  certificate_.more_races = analysis.more.races + (is_left_over ? 0 : analysis.more.leaving);
  certificate_.more_sums = analysis.more.sums;
  certificate_.has_all_races = !analysis.is_cut;
  if (analysis.is_cut) certificate_.same_in_every_schedule = false;
  const std::vector<bool>& in_race = is_left_over ? analysis.in_race : analysis.in_race_or_leaving;
  for (std::size_t i = 0; i < control.reads.size(); ++i) {
    if (!control.reads[i] || !in_race[i]) continue;
    certificate_.same_in_every_schedule = false;
    certificate_.racing_control = record.program->loc(record.program->body[i].place);
  }
  if (analysis.races.empty()) return;
  const auto is_of_copy = [&](std::int32_t e) { return !record.is_core(record.event(e).agent); };
  const SignalTable signals(record);
  for (const Race& race : analysis.races) {
    if (is_left_over && (is_leave(race.x) || is_leave(race.y))) continue;
    if (ends_scope(race.x) || ends_scope(race.y)) certificate_.same_in_every_schedule = false;
    const std::size_t listed =
        race.is_order ? certificate_.order.size() : certificate_.races.size();
    if (listed >= listed_) {
      (race.is_order ? certificate_.more_sums : certificate_.more_races) += race.pairs;
    } else if (race.is_order) {
      certificate_.order.push_back(order_finding(record, signals, race));
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

// What single points showed. Where the run itself has a finding, that comes first.
void Certifier::judge_loops(RunResult& result) {
  if (points_ == nullptr || points_->loops.empty()) return;
  certificate_.loops = points_->loops;
  certificate_.orders_parallel_loops = false;
  if (!result.findings.empty()) return;
  std::vector<Finding> findings = points_->findings;
  findings.insert(findings.end(), points_->of_the_run.begin(), points_->of_the_run.end());
  for (const Finding& finding : findings) {
    certificate_.findings.push_back(finding);
    result.findings.push_back(finding);
  }
  for (ParallelLoop& loop : certificate_.loops) {
    if (!loop.is_undecided()) continue;
    loop.any_order = loop.any_split = false;
    certificate_.broken.push_back(
        {"points", -1, loop.loc,
         fmt::format("the points of the loop over {} synchronise with others, {}", loop.name,
                     orders_copies_ ? "and which of them sends first over a link is not analysed "
                                      "where copies land in order"
                                    : "in more events than the analysis was given")});
  }
}

void Certifier::explain_waits(const ControlFlow& control) {
  const Record& record = recorder_.record();
  const SignalTable signals(record);
  certificate_.waits = necessity(record);
  for (const NeededWait& wait : certificate_.waits) {
    Finding finding{.kind = FindingKind::race};
    finding.at.loc =
        record.program->loc(record.program->body[static_cast<std::size_t>(wait.statement)].place);
    if (wait.need == Necessity::order) {
      const Finding race = race_finding(record, signals, *wait.race, control);
      finding.message = fmt::format("needed for order: without it {}", race.message);
      FindingPlace at = race.at;
      at.message = "there";
      finding.notes.push_back(std::move(at));
    } else if (wait.need == Necessity::counts) {
      finding.message = "needed for counts only: without it nothing races";
    } else {
      finding.message = "not needed: its semaphore can go, with all signals and waits on it";
    }
    certificate_.wait_findings.push_back(std::move(finding));
  }
}

namespace {

// Where a condition is broken: all courses of events if they are few, else some schedules, and only
// races that were seen.
Expected<Certificate> without_conditions(const Simulate& simulate, const CertifyOptions& options,
                                         const Certifier& recorded, Certificate first) {
  // What the run itself met is real.
  const bool is_open = first.findings.size() == first.races.size();
  bool is_of_course = false;
  if (is_open) {
    Expected<std::optional<Certificate>> all = exhaust(simulate, options, first);
    if (!all) return all.diags();
    if (*all && (*all)->is_exhausted) return **std::move(all);
    is_of_course = all->has_value();
    if (*all) first = **std::move(all);
  }
  // Races of another course were shown with its record.
  if (!is_of_course) show_races(simulate, options, recorded.analysed(), recorded.order(), first);
  drop_unshown(first);
  if (first.verdict != SchedulesVerdict::explored) return first;
  return explore(simulate, options, std::move(first));
}

bool waits_for_points(const Certificate& certificate) {
  return std::any_of(certificate.broken.begin(), certificate.broken.end(),
                     [](const BrokenCondition& b) { return b.condition == "points"; });
}

// What is proved of copies in any order is proved of those in order.
Expected<Certificate> without_lanes(const Simulate& simulate, const CertifyOptions& options) {
  CertifyOptions how = options;
  how.run.dma_order = DmaOrder::unordered;
  return certify(simulate, how);
}

}  // namespace

Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options) try {
  const StopScope listens(options.run.stop);
  Certifier certifier(options.partial, options.budget, options.necessity, Reads::free,
                      options.listed);
  certifier.end_run_when_full();
  RunOptions run = within_budget(options);
  PointsVerdict points{.in_parts = options.partial};
  run.points = &points;
  run.record_schedule = true;
  run.wants_values = false;
  run.observers.push_back(&certifier);
  Expected<RunResult> result = simulate(run);
  if (!result) return result.diags();
  Certificate certificate = certifier.certificate();
  if (!certifier.record().is_over_budget)
    certificate.program_hash = text_hash(print(*certifier.record().program));
  // Of work that was ended the events are dropped.
  if (certificate.end == RunEnd::program)
    certificate.protocol_hash = protocol_hash(certifier.record());
  certificate.run = *std::move(result);
  certificate.run.certificate = nullptr;  // this is more
  if (certificate.end != RunEnd::program) return certificate;
  if (!points.findings.empty() && certificate.run.findings.size() > certificate.races.size())
    certificate.points_witness = find_points_witness(simulate, options.run);
  if (certificate.broken.empty()) {
    show_races(simulate, options, certifier.analysed(), certifier.order(), certificate);
    return certificate;
  }
  if (options.run.dma_order == DmaOrder::fifo && waits_for_points(certificate)) {
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
