#include "analysis/certificate/certifier.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>

#include "analysis/certificate/races/neighbours.h"
#include "analysis/certificate/races/pinned.h"
#include "core/host/host_memory.h"
#include "core/passes/at_once.h"
#include "core/report/stop.h"
#include "interp/observe/event_words.h"
#include "interp/schedule/schedule.h"

namespace tessera {
namespace {

void describe_program(const Record& record, Certificate& certificate) {
  certificate.basis.version = TESSERA_VERSION;
  certificate.basis.granularity = record.granularity;
  for (const Semaphore& semaphore : record.program->semaphores)
    certificate.basis.has_automatic_barrier |=
        semaphore.kind == SemKind::barrier && semaphore.collective < 0;
}

void describe(const Record& record, Certificate& certificate) {
  certificate.statistics.agents = static_cast<std::int64_t>(record.agents.size());
  certificate.statistics.events = static_cast<std::int64_t>(record.events.size());
  certificate.statistics.semaphores = static_cast<std::int64_t>(record.cells.size());
  certificate.statistics.accesses = record.accesses;
  certificate.statistics.transfers = record.transfers;
  certificate.statistics.peak_in_flight = record.peak_in_flight;
  certificate.basis.orders_parallel_loops = !record.points.empty();
  certificate.statistics.method = "freeze-one";
}

}  // namespace

void Certifier::begin(const Program& program, const RunOptions& options) {
  certificate_ = {};
  pinned_.reset();
  profile_ = options.machine.profile.text();
  const auto schedule = parse_schedule(options.schedule);
  order_ = schedule ? schedule->order : std::nullopt;
  orders_copies_ = options.copies.order == DmaOrder::fifo;
  relay_.reset();
  // For programs with synchronous blocks most events are joined, so recording them costs less than
  // passing all of them to another thread.
  relayed_from_ = is_at_once(program) ? std::numeric_limits<std::int64_t>::max() : 1'000'000;
  recorder_.begin(program, options);
  coverage_.begin(program, options);
}

void Certifier::on(const Event& event) {
  coverage_.on(event);
  if (relayed_from_ > 0) {
    --relayed_from_;
    return recorder_.on(event);
  }
  if (!relay_) {
    try {
      relay_.emplace([this](std::span<const std::int64_t> words) {
        UnpackedEvent later;
        while (!words.empty()) {
          words = unpack(words, later);
          recorder_.take(later.event);
        }
      });
    } catch (const std::system_error&) {  // no thread available
      relayed_from_ = std::numeric_limits<std::int64_t>::max();
      return recorder_.on(event);
    }
  }
  recorder_.note_loops(event);
  pack(relay_->items(), event);
  relay_->added();
}

void Certifier::end(RunResult& result) {
  points_ = result.points;
  coverage_.end(result);
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

// Keeps only the findings of the run itself.
void Certifier::give_up(const RunResult& result, RunEnd end) {
  if (end == RunEnd::memory) MemoryCap::use_reserve();
  relay_.reset();
  recorder_.drop();
  pinned_.reset();
  certificate_ = {};
  certificate_.basis.profile = profile_;
  certificate_.findings = result.findings;
  certificate_.statistics.events = recorder_.events();
  describe_program(recorder_.record(), certificate_);
  judge_ended(certificate_, end);
}

void Certifier::analyse(RunResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  recorder_.end(result);
  certificate_.coverage = coverage_.notes();
  const Record& recorded = recorder_.record();
  certificate_.basis.profile = profile_;
  certificate_.findings = result.findings;
  describe_program(recorded, certificate_);
  if (recorded.is_over_budget) {
    certificate_.statistics.events = recorder_.events();
    judge_ended(certificate_, RunEnd::events);
    return;
  }
  // The counts that were read decide the later actions, so races are searched in runs that read the
  // same counts.
  if (!recorded.sem_reads.empty()) pinned_ = with_reads_pinned(recorded);
  const Record& record = analysed();
  const RaceAnalysis analysis = freeze_one(record, SearchMode::adaptive, listed_);
  const ControlFlow control = control_flow(*record.program, record.choices);
  describe(recorded, certificate_);
  certificate_.statistics.forks = analysis.forks;
  certificate_.statistics.events_replayed = analysis.events_replayed;
  for (const BufferId b : control.buffers.ids())
    if (control.buffers[b] && record.program->buffers[b].role == Role::in)
      certificate_.basis.control_inputs.push_back(record.program->buffers[b].name);
  certificate_.statistics.control_reads =
      std::count(control.reads.begin(), control.reads.end(), true);
  certificate_.basis.broken = broken_conditions(record, control, analysis);
  judge_loops(result);
  if (reads_ == Reads::pinned)
    std::erase_if(certificate_.basis.broken,
                  [](const BrokenCondition& b) { return b.condition == Condition::waits_only; });
  certificate_.same_in_every_schedule = certificate_.basis.broken.empty();
  // If a copy changes a count that is read, the reads cannot be pinned. A normal run does not check
  // whether such a race is real.
  const bool is_guess = reads_ == Reads::unsettled && !recorded.sem_reads.empty() && !pinned_;
  const std::size_t before = certificate_.findings.size();
  if (!is_guess) list_races(result, record, analysis, control);
  explain_neighbours(record, certificate_.findings);
  explain_neighbours(record, result.findings);
  // Reserve first: if memory ran out during the insertion, the existing findings would be lost.
  result.findings.reserve(result.findings.size() + certificate_.findings.size() - before);
  result.findings.insert(result.findings.end(),
                         certificate_.findings.begin() + static_cast<std::ptrdiff_t>(before),
                         certificate_.findings.end());
  judge(certificate_);
  if (asks_necessity_ && certificate_.verdict == SchedulesVerdict::proved) explain_waits(control);
  certificate_.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tessera
