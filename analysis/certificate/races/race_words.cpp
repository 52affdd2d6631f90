#include "analysis/certificate/races/race_words.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "core/program/program.h"
#include "interp/findings/describe.h"

namespace tessera {

// For an access of a core: the location of its operand.
Loc RaceWords::place_of(EventId e) const {
  const StmtId statement = event(e).statement;
  const bool is_of_core =
      statement && record_.is_core(event(e).agent) && (event(e).act == Act::access);
  return is_of_core && range(e).kind == ObjectKind::buffer
             ? operand_loc(program_, statement, range(e).buffer())
             : program_.loc(statement);
}

FindingPlace RaceWords::place(EventId e, std::string message) const {
  const RecordedAgent& by = agent(event(e).agent);
  return {.loc = place_of(e),
          .message = std::move(message),
          .device = by.id.device,
          .agent = to_string(by.id),
          .loops = record_.loops_of(e)};
}

std::string RaceWords::range_text(EventId e) const {
  const Range& r = range(e);
  if (r.kind == ObjectKind::none) return "the kernel";
  if (r.kind == ObjectKind::buffer)
    return fmt::format("{} of {}", slice_text(program_, r.buffer(), r.box),
                       record_.topology.name(r.core, program_.buffers[r.buffer()].space));
  return fmt::format("{} of {}", program_.semaphores[r.semaphore()].name,
                     record_.topology.name(r.core));
}

std::string RaceWords::verb(EventId e, bool is_third_person) const {
  const RecordedEvent& self = event(e);
  const auto form = [&](std::string_view third, std::string_view infinitive) {
    return std::string(is_third_person ? third : infinitive);
  };
  if (range(e).kind == ObjectKind::none)
    return range(e).object == 0 ? form("enters", "enter") : form("leaves", "leave");
  if (self.access == AccessKind::lifetime) {
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

CellId RaceWords::cell_of(EventId e) const {
  const RecordedAgent& self = agent(event(e).agent);
  for (const EventId i : IdRange(e, self.end))
    if (event(i).act == Act::signal) return event(i).cell();
  return {};
}

std::string RaceWords::cell_name(CellId cell) const {
  const SemId& sem = record_.cells[cell];
  return fmt::format("{} of {}", cell_text(program_, sem.semaphore, sem.cell),
                     record_.topology.name(sem.core));
}

}  // namespace tessera
