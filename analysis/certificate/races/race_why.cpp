#include "analysis/certificate/races/race_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/program/program.h"

namespace tessera {
namespace {

constexpr std::size_t max_later_waits = 2;  // reported waits

class Why : RaceWords {
 public:
  Why(const Record& record, const SignalTable& signals, const Race& race)
      : RaceWords(record), signals_(signals), x_(race.x), y_(race.y) {}

  RaceWhy write() && {
    if (issuer(x_) == issuer(y_))
      why_.notes.push_back(on_one_core());
    else
      on_two_cores();
    note_credit();
    note_shared_semaphore();
    return std::move(why_);
  }

 private:
  // A copy into memory of another core that may come too early: the owner has to permit it.
  void note_credit() {
    if (!writes_to_other_core(y_)) return;
    const std::string owner = record_.topology.name(range(y_).core);
    const std::string sender = core_text(issuer(y_));
    why_.notes.push_back(
        {.message = fmt::format("credit: {0} must signal {1} when {2} is free, and {1} must wait "
                                "for that signal before it starts this copy",
                                owner, sender, range_text(y_))});
  }

  bool writes_to_other_core(EventId e) const {
    if (!is_copy(e) || event(e).access != AccessKind::write) return false;
    const Range& written = range(e);
    if (written.kind != ObjectKind::buffer) return false;
    const AgentId owner = record_.topology.agent(written.core), sender = agent(issuer(e)).id;
    const bool is_of_device = program_.buffers[written.buffer()].space == Space::hbm;
    return owner.device != sender.device || (!is_of_device && owner.core != sender.core);
  }

  // If several slots share a semaphore, a wait does not show which of the copies is complete.
  void note_shared_semaphore() {
    if (!is_copy(x_) || !is_copy(y_) || event(y_).access != AccessKind::write) return;
    const CellId cell = cell_of(y_);
    if (!cell || cell != cell_of(x_)) return;
    for (const RecordedAgentId other : record_.copy_ids()) {
      for (const EventId e : agent(other).events()) {
        const bool is_elsewhere = event(e).act == Act::access &&
                                  event(e).access == AccessKind::write &&
                                  !is_same_place(range(e), range(y_));
        if (!is_elsewhere || cell_of(e) != cell) continue;
        why_.notes.push_back(
            {.message = fmt::format("shared semaphore: {} also counts the bytes of copies to {}, "
                                    "so a wait for it can end with the bytes of another copy",
                                    cell_name(cell), range_text(e))});
        return;
      }
    }
  }

  void on_two_cores() {
    for (const auto& [late, early] : {std::pair{y_, x_}, std::pair{x_, y_}}) {
      const EventId from = begin_of(late);
      for (EventId i = from; i > agent(issuer(late)).begin;) {
        --i;
        if (!is_wait(i) || !is_signalled_by(event(i).cell(), issuer(early))) continue;
        why_.last_wait = event(i).statement;
        why_.notes.push_back(behind(i, late, early));
        later_waits(i + 1, from, late, early);
        return;
      }
    }
    why_.notes.push_back(
        {.message = fmt::format("why: neither {} nor {} waits for the other before its access",
                                core_text(issuer(y_)), core_text(issuer(x_)))});
    later_waits(agent(issuer(y_)).begin, begin_of(y_), y_, x_);
  }

  // Returns the event of the core that begins an access; for a copy, its start.
  EventId begin_of(EventId e) const { return is_copy(e) ? agent(event(e).agent).started_at : e; }

  // Returns a note on the last wait for the other core, which does not order the accesses.
  FindingPlace behind(EventId wait, EventId late, EventId early) const {
    const CellId cell = event(wait).cell();
    const bool is_added = is_automatic_barrier(cell);
    FindingPlace where = place(
        wait,
        fmt::format("why: no wait of {} before it {} shows that {}: the last wait for a "
                    "signal of {} is {}, and earlier signals can satisfy it",
                    core_text(issuer(late)), begins(late), is_done(early), core_text(issuer(early)),
                    is_added ? "the automatic barrier at the kernel's start"
                             : "this one for " + cell_name(cell)));
    if (is_added) where.loc = {}, where.loops = {};
    return where;
  }

  std::string begins(EventId late) const {
    if (is_copy(late)) return "starts " + copy_text(late, issuer(late));
    return fmt::format("{} {}", verb(late, true), range_text(late));
  }
  std::string is_done(EventId early) const {
    if (is_copy(early)) return copy_text(early, RecordedAgentId()) + " is complete";
    const std::string core = core_text(issuer(early));
    if (range_is_none(early))
      return fmt::format("{} has {} the kernel", core,
                         range(early).object == 0 ? "entered" : "left");
    if (range(early).kind == ObjectKind::semaphore && event(early).access != AccessKind::lifetime)
      return core + " has signalled";
    switch (event(early).access) {
      case AccessKind::read:
        return core + " has read";
      case AccessKind::write:
        return core + " has written";
      case AccessKind::accumulate:
        return core + " has added";
      case AccessKind::lifetime:

        return fmt::format("{} has reached the place where it {} {}", core, verb(early, true),
                           range_text(early));
    }
    return {};
  }
  // Text such as "dma#5" if it is clear which core starts the copy.
  std::string copy_text(EventId e, RecordedAgentId by) const {
    const std::string text = agent_text(e);
    return by == issuer(e) ? text.substr(text.find('/') + 1) : text;
  }

  // Adds notes on waits between the last wait for the other core and the access, the nearest first:
  // one of these signals may have been intended. Explicit signals are preferred over bytes of
  // copies.
  void later_waits(EventId begin, EventId end, EventId late, EventId early) {
    std::vector<EventId> found;
    for (const bool by_hand : {true, false}) {
      for (EventId i = end; i > begin && found.size() < max_later_waits;) {
        --i;
        if (!is_wait(i) || counts_bytes(event(i).cell()) == by_hand) continue;
        if (!signaller(event(i).cell(), issuer(late))) continue;
        const auto same = [&](EventId e) { return event(e).cell() == event(i).cell(); };
        if (std::none_of(found.begin(), found.end(), same)) found.push_back(i);
      }
      if (!found.empty()) break;
    }
    for (const EventId wait : found) {
      const CellId cell = event(wait).cell();
      why_.notes.push_back(place(wait, fmt::format("{} also waits for {} here before that",
                                                   core_text(issuer(late)), cell_name(cell))));
      // The last signal represents all of them, so its loop indices are omitted.
      const EventId signal = signaller(cell, issuer(late));
      FindingPlace where =
          place(signal, fmt::format("{} signals it here, and {} never does",
                                    core_text(issuer(signal)), core_text(issuer(early))));
      where.loops = {};
      why_.notes.push_back(std::move(where));
    }
  }

  bool counts_bytes(CellId cell) const {
    return program_.semaphores[record_.cells[cell].semaphore].kind == SemKind::bytes;
  }

  // Returns the last signal of a cell by a core other than `but`, or none.
  EventId signaller(CellId cell, RecordedAgentId but) const {
    for (const SignalTable::Entry& entry : signals_.of(cell)) {
      if (entry.core == but || entry.end <= agent(entry.core).begin) continue;
      EventId last = entry.end;
      return --last;
    }
    return {};
  }

  // True for the barrier that `expand` adds to a program without a barrier.
  bool is_automatic_barrier(CellId cell) const {
    const Semaphore& semaphore = program_.semaphores[record_.cells[cell].semaphore];
    return semaphore.kind == SemKind::barrier && semaphore.collective < 0;
  }
  bool is_signalled_by(CellId cell, RecordedAgentId core) const {
    const std::vector<SignalTable::Entry>& by = signals_.of(cell);
    return std::any_of(by.begin(), by.end(),
                       [&](const SignalTable::Entry& entry) { return entry.core == core; });
  }

  FindingPlace on_one_core() const {
    if (is_copy(x_) && is_copy(y_))
      return {.message = fmt::format("why: nothing makes {} wait until {} is complete{}",
                                     agent_text(y_), agent_text(x_), instead(x_, y_))};
    const EventId copy = is_copy(x_) ? x_ : y_, access = is_copy(x_) ? y_ : x_;
    const CellId cell = cell_of(copy);
    const EventId start = begin_of(copy);
    if (start > access)
      return {.message = "why: the copy is started after it, and nothing makes it wait"};
    EventId wait;
    for (const EventId i : IdRange(start, access))
      if (cell && waits_on(i, cell)) wait = i;
    if (!wait)
      return {.message =
                  (!cell ? "why: no semaphore signals that the copy has read it"
                         : fmt::format("why: {} is not waited for between the start of the copy "
                                       "and this access",
                                       cell_name(cell))) +
                  instead(copy, access)};
    return place(wait, fmt::format("why: bytes of other copies, or some of this copy's bytes, can "
                                   "satisfy this wait for {}{}",
                                   cell_name(cell), instead(copy, access)));
  }

  // Suggests the other order, for a slot that is used again: the copy overwrites data that its core
  // stored or copied there before, and the data is read after the start. If the read means the old
  // data, a wait would give it the new data. No suggestion for copies of pipelines, where this is
  // not decidable.
  std::string instead(EventId copy, EventId access) const {
    const EventId start = begin_of(copy);
    const bool is_read_behind =
        event(copy).access == AccessKind::write && event(access).access == AccessKind::read &&
        start < begin_of(access) &&
        std::holds_alternative<Start>(program_.body[event(copy).statement].op);
    if (!is_read_behind || !was_stored(access, start)) return "";
    return fmt::format(
        "; if the old data is intended, {} may be started after {} instead",
        copy_text(copy, issuer(copy)),
        is_copy(access) ? copy_text(access, issuer(copy)) + " is complete" : "this access");
  }

  // True if the core stored or copied data to the read memory before this event of the core.
  bool was_stored(EventId access, EventId start) const {
    const RecordedAgentId core = issuer(access);
    const auto stores = [&](EventId e) {
      return event(e).act == Act::access &&
             (event(e).access == AccessKind::write || event(e).access == AccessKind::accumulate) &&
             is_same_place(range(e), range(access));
    };
    for (const EventId e : IdRange(agent(core).begin, start))
      if (stores(e)) return true;
    for (const RecordedAgentId other : record_.copy_ids()) {
      if (agent(other).issuer != core || agent(other).started_at >= start) continue;
      for (const EventId e : agent(other).events())
        if (stores(e)) return true;
    }
    return false;
  }
  static bool is_same_place(const Range& a, const Range& b) {
    return a.kind == ObjectKind::buffer && a.kind == b.kind && a.object == b.object &&
           a.owner == b.owner && intersects(a.box, b.box);
  }

  const SignalTable& signals_;
  EventId x_, y_;
  RaceWhy why_;
};

}  // namespace

RaceWhy race_why(const Record& record, const SignalTable& signals, const Race& race) {
  return Why(record, signals, race).write();
}

}  // namespace tessera
