#include "interp/certificate/races/race_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "interp/findings/cause.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

class Report {
 public:
  Report(const Record& record, const SignalTable& signals, const Race& race)
      : record_(record),
        signals_(signals),
        program_(*record.program),
        x_(race.x),
        y_(race.y),
        race_(race) {
    // Here: the core's access, or the later one of the text. There: the other.
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
          fmt::format(" ({} such pairs{})", race_.pairs,
                      race_.devices.size() > 1 ? ", on " + devices_text(race_.devices) : "");
    finding.at = place(here_, "");
    finding.about = subject();
    if (finding.about.copy) finding.start = program_.loc(finding.about.copy);
    finding.devices = race_.devices;
    note_there();
    if (!race_.is_order) {
      note_completion();
      notes_.push_back(why());
    }
    finding.about.wait = last_wait_;
    add_call_chain(program_, program_.place_of(event(here_).statement), notes_);
    finding.notes = std::move(notes_);
    return finding;
  }

 private:
  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  const Range& range(EventId e) const { return record_.ranges[event(e).range()]; }
  bool is_copy(EventId e) const { return !record_.is_core(event(e).agent); }
  RecordedAgentId issuer(EventId e) const { return agent(event(e).agent).issuer; }
  std::string agent_text(EventId e) const { return to_string(agent(event(e).agent).id); }
  FindingPlace place(EventId e, std::string message) const {
    const RecordedAgent& by = agent(event(e).agent);
    return {.loc = place_of(e),
            .message = std::move(message),
            .device = by.id.device,
            .agent = to_string(by.id),
            .loops = record_.loops_of(e)};
  }

  // Of a core's access its operand.
  Loc place_of(EventId e) const {
    const StmtId statement = event(e).statement;
    const bool is_of_core =
        statement && record_.is_core(event(e).agent) && (event(e).act == Act::access);
    return is_of_core && range(e).kind == ObjectKind::buffer
               ? operand_loc(program_, statement, range(e).buffer())
               : program_.loc(statement);
  }

  // The copy that is not waited for in time: of two the one that comes first.
  FindingSubject subject() const {
    FindingSubject about{.statement = event(here_).statement, .other = event(there_).statement};
    const Range& range = this->range(range_is_none(here_) ? there_ : here_);
    if (range.kind == ObjectKind::buffer) about.buffer = range.buffer();
    for (const EventId e : {here_, there_})
      if (range_is_none(e))
        about.end = this->range(e).object == 0 ? KernelEnd::entry : KernelEnd::exit;
    const EventId late = is_copy(x_) ? x_ : is_copy(y_) ? y_ : EventId();
    if (!late) return about;
    about.copy = event(late).statement;
    about.of_source = event(late).access == AccessKind::read;
    if (const CellId cell = cell_of(late)) about.semaphore = record_.cells[cell].semaphore;
    return about;
  }
  bool range_is_none(EventId e) const { return range(e).kind == ObjectKind::none; }

  std::string range_text(EventId e) const {
    const Range& r = range(e);
    if (r.kind == ObjectKind::none) return "the kernel";
    if (r.kind == ObjectKind::buffer)
      return fmt::format("{} of {}", slice_text(program_, r.buffer(), r.box),
                         record_.topology.name(r.site, program_.buffers[r.buffer()].space));
    return fmt::format("{} of {}", program_.semaphores[r.semaphore()].name,
                       record_.topology.name(r.site));
  }

  // "reads", or "read" after "may".
  std::string verb(EventId e, bool is_third_person) const {
    const RecordedEvent& self = event(e);
    const auto form = [&](std::string_view third, std::string_view infinitive) {
      return std::string(is_third_person ? third : infinitive);
    };
    if (range(e).kind == ObjectKind::none)
      return range(e).object == 0 ? form("enters", "enter") : form("leaves", "leave");
    if (self.access == AccessKind::life) {
      const bool begins = std::holds_alternative<Alloc>(program_.body[self.statement].op);
      if (program_.call_place && program_.place_of(self.statement) == program_.call_place)
        return begins ? form("begins the call that has", "begin the call that has")
                      : form("ends the call that has", "end the call that has");
      if (range(e).kind == ObjectKind::semaphore && !begins)
        return form("ends the scope of", "end the scope of");
      return begins ? form("allocates", "allocate") : form("frees", "free");
    }
    if (range(e).kind == ObjectKind::semaphore) return form("signals", "signal");
    if (self.access == AccessKind::accumulate) return form("adds to", "add to");
    return self.access == AccessKind::read ? form("reads", "read") : form("writes", "write");
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

  // The cell that counts the bytes of a copy's half.
  CellId cell_of(EventId e) const {
    const RecordedAgent& self = agent(event(e).agent);
    for (const EventId i : IdRange(e, self.end))
      if (event(i).act == Act::signal) return event(i).cell();
    return {};
  }
  std::string cell_name(CellId cell) const {
    const SemId& sem = record_.cells[cell];
    return fmt::format("{} of {}", cell_text(program_, sem.semaphore, sem.cell),
                       record_.topology.name(sem.site));
  }
  bool waits_on(EventId e, CellId cell) const {
    const RecordedEvent& self = event(e);
    return (self.act == Act::wait || self.act == Act::await) && self.cell() == cell;
  }

  // When a copy counts as complete.
  void note_completion() {
    for (const EventId e : {there_, here_}) {
      if (!is_copy(e)) continue;
      const CellId cell = cell_of(e);
      if (!cell) continue;
      const RecordedAgentId owner = record_.owner(cell);
      EventId wait;
      for (EventId i = agent(owner).end; i > agent(owner).begin;) {
        --i;
        if (owner == issuer(e) && i < agent(event(e).agent).started_at) break;
        if (!waits_on(i, cell)) continue;
        wait = i;
        if (owner != issuer(e)) break;
      }
      const std::string bytes = fmt::format("its bytes are counted by {}", cell_name(cell));
      if (!wait)
        notes_.push_back({.message = bytes + (record_.is_complete
                                                  ? ", which nobody waits for after its start"
                                                  : ", and this run ended before a wait for it")});
      else
        notes_.push_back(place(wait, bytes + ", waited for here"));
      return;
    }
  }

  // Which edge is missing between the two.
  FindingPlace why() {
    if (issuer(x_) == issuer(y_)) return why_on_one_core();
    for (const auto& [late, early] : {std::pair{y_, x_}, std::pair{x_, y_}}) {
      const RecordedAgentId core = issuer(late);
      const EventId from = is_copy(late) ? agent(event(late).agent).started_at : late;
      for (EventId i = from; i > agent(core).begin;) {
        --i;
        if (event(i).act != Act::wait && event(i).act != Act::await) continue;
        if (!is_signalled_by(event(i).cell(), issuer(early))) continue;
        const bool is_added = is_automatic_barrier(event(i).cell());
        last_wait_ = event(i).statement;
        FindingPlace where = place(
            i, fmt::format("why: the last wait of {} for {} before it {} is {}, and "
                           "signals from before that {} meet it",
                           to_string(agent(core).id), to_string(agent(issuer(early)).id),
                           is_copy(late) ? "starts the copy" : verb(late, true),
                           is_added ? "the automatic barrier at the kernel's start" : "this one",
                           noun(early)));
        if (is_added) where.loc = {}, where.loops = {};
        return where;
      }
    }
    return {.message =
                fmt::format("why: neither {} nor {} waits for the other before its part",
                            to_string(agent(issuer(y_)).id), to_string(agent(issuer(x_)).id))};
  }

  std::string noun(EventId e) const {
    if (is_copy(e)) return "copy is complete";
    if (range(e).kind == ObjectKind::none) return "point";
    return event(e).access == AccessKind::read ? "read" : "access";
  }

  // The barrier that `expand` gave a program which has none of its own.
  bool is_automatic_barrier(CellId cell) const {
    const Semaphore& semaphore = program_.semaphores[record_.cells[cell].semaphore];
    return semaphore.kind == SemKind::barrier && semaphore.collective < 0;
  }
  bool is_signalled_by(CellId cell, RecordedAgentId core) const {
    const std::vector<SignalTable::Entry>& by = signals_.of(cell);
    return std::any_of(by.begin(), by.end(),
                       [&](const SignalTable::Entry& entry) { return entry.core == core; });
  }

  FindingPlace why_on_one_core() const {
    if (is_copy(x_) && is_copy(y_))
      return {.message = fmt::format("why: nothing lets {} wait until {} is complete",
                                     agent_text(y_), agent_text(x_))};
    const EventId copy = is_copy(x_) ? x_ : y_, access = is_copy(x_) ? y_ : x_;
    const CellId cell = cell_of(copy);
    const EventId start = agent(event(copy).agent).started_at;
    if (start > access)
      return {.message = "why: the copy is started after it, and nothing lets it wait"};
    EventId wait;
    for (const EventId i : IdRange(start, access))
      if (cell && waits_on(i, cell)) wait = i;
    if (!wait)
      return {.message = !cell ? "why: no semaphore tells when the copy has read it"
                               : fmt::format("why: {} is not waited for between the start of "
                                             "the copy and this access",
                                             cell_name(cell))};
    return place(wait,
                 fmt::format("why: bytes of other copies, or a part of this one's, can meet this "
                             "wait for {}",
                             cell_name(cell)));
  }

  const Record& record_;
  const SignalTable& signals_;
  const Program& program_;
  EventId x_, y_, here_, there_;
  StmtId last_wait_;  // of one core for the other
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
         .message = "what is read here decides what the program does next: what is found after it "
                    "holds for this run"});
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
