#include "analysis/certificate/races/race_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/certificate/races/race_why.h"
#include "analysis/certificate/races/race_words.h"
#include "interp/findings/cause.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

class Report : RaceWords {
 public:
  Report(const Record& record, const SignalTable& signals, const Race& race)
      : RaceWords(record), signals_(signals), x_(race.x), y_(race.y), race_(race) {
    // here_: the core's access, or the later one in the text. there_: the other access.
    here_ = y_;
    there_ = x_;
    const auto rank = [&](EventId e) {
      if (!event(e).statement) return 0;
      return record_.is_core(event(e).agent) ? 2 : 1;
    };
    const auto order = [&](EventId e) {
      return std::tuple(rank(e), event(e).statement, agent(event(e).agent).id.dma);
    };
    if (order(there_) > order(here_)) std::swap(here_, there_);
  }

  Finding write() {
    Finding finding{.kind = FindingKind::race};
    finding.message = fmt::format("{} {} {} while {} may {}", agent_text(here_), verb(here_, true),
                                  range_text(here_), agent_text(there_), what_there());
    if (race_.pairs > 1)
      finding.message +=
          fmt::format(" ({}{} such pairs{})", race_.has_more ? "at least " : "", race_.pairs,
                      race_.devices.size() > 1 ? ", on " + devices_text(race_.devices) : "");
    finding.at = place(here_, "");
    finding.about = subject();
    if (finding.about.copy) finding.start = program_.loc(finding.about.copy);
    finding.devices = race_.devices;
    finding.events = {event_of(x_), event_of(y_)};
    note_there();
    if (!race_.is_order) {
      note_completion();
      RaceWhy why = race_why(record_, signals_, race_);
      std::move(why.notes.begin(), why.notes.end(), std::back_inserter(notes_));
      finding.about.wait = why.last_wait;
    }
    add_call_chain(program_, program_.place_of(event(here_).statement), notes_);
    finding.notes = std::move(notes_);
    return finding;
  }

 private:
  // Returns the subject of the finding. Its copy is not awaited in time: the first copy if there
  // are two.
  FindingSubject subject() const {
    FindingSubject about{.statement = event(here_).statement, .other = event(there_).statement};
    const Range& range = this->range(range_is_none(here_) ? there_ : here_);
    if (range.kind == ObjectKind::buffer) about.buffer = range.buffer();
    for (const EventId e : {here_, there_})
      if (range_is_none(e)) about.end = event_of(e).end;
    const EventId late = is_copy(x_) ? x_ : is_copy(y_) ? y_ : EventId();
    if (!late) return about;
    about.copy = event(late).statement;
    about.of_source = event(late).access == AccessKind::read;
    if (const CellId cell = cell_of(late)) about.semaphore = record_.cells[cell].semaphore;
    return about;
  }

  FindingEvent event_of(EventId e) const {
    FindingEvent result{.agent = to_string(agent(event(e).agent).id),
                        .step = event(e).step,
                        .statement = event(e).statement};
    if (range_is_none(e)) result.end = range(e).object == 0 ? KernelEnd::entry : KernelEnd::exit;
    return result;
  }

  std::string what_there() const {
    if (range(there_).kind == ObjectKind::none) {
      const bool is_enter = range(there_).object == 0;
      return is_enter ? "not have entered the kernel yet" : "have left the kernel already";
    }
    const bool is_same = range_text(here_) == range_text(there_);
    return fmt::format("{} {}", verb(there_, false), is_same ? "it" : range_text(there_));
  }

  void note_there() {
    if (!event(there_).statement) return;
    const std::string what = is_copy(there_) ? fmt::format("{} is started here", agent_text(there_))
                                             : fmt::format("{} {} {} here", agent_text(there_),
                                                           verb(there_, true), range_text(there_));
    notes_.push_back(place(there_, what));
  }

  // Adds a note on the completion of the first copy of the two accesses.
  void note_completion() {
    for (const EventId e : {there_, here_}) {
      if (!is_copy(e)) continue;
      const CellId cell = cell_of(e);
      if (!cell) continue;
      const RecordedAgentId owner = record_.owner(cell);
      EventId wait;
      bool is_last = false;  // several waits use the cell, and each may wait for these bytes
      for (EventId i = agent(owner).end; i > agent(owner).begin;) {
        --i;
        if (owner == issuer(e) && i < agent(event(e).agent).started_at) break;
        if (!waits_on(i, cell)) continue;
        is_last = owner != issuer(e) && wait;
        if (is_last) break;
        wait = i;
      }
      const std::string bytes = fmt::format("its bytes are counted by {}", cell_name(cell));
      if (!wait)
        notes_.push_back({.message = bytes + (record_.is_complete
                                                  ? ", which has no wait after its start"
                                                  : ", and this run ended before a wait for it")});
      else
        notes_.push_back(place(
            wait, bytes + (is_last ? ", waited for here at the latest" : ", waited for here")));
      return;
    }
  }

  const SignalTable& signals_;
  EventId x_, y_, here_, there_;
  const Race& race_;
  std::vector<FindingPlace> notes_;
};

}  // namespace

Finding race_finding(const Record& record, const SignalTable& signals, const Race& race,
                     const ControlFlow& control) {
  Finding finding = Report(record, signals, race).write();
  for (const EventId e : {race.x, race.y}) {
    const StmtId statement = record.events[e].statement;
    if (!statement || !record.is_core(record.events[e].agent) || !control.reads[statement])
      continue;
    finding.about.decides = true;
    finding.notes.push_back(
        {.loc = record.program->loc(statement),
         .message =
             "the value read here decides the control flow: findings after it hold for this run"});
  }
  return finding;
}

Remark order_remark(const Record& record, const SignalTable& signals, const Race& race) {
  Finding written = Report(record, signals, race).write();
  Remark remark{std::move(written.at), std::move(written.notes)};
  remark.at.message = std::move(written.message);
  return remark;
}

}  // namespace tessera
