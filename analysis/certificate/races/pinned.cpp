#include "analysis/certificate/races/pinned.h"

#include <algorithm>
#include <map>

#include "interp/machine/semaphores.h"

namespace tessera {
namespace {

class Pinning {
 public:
  explicit Pinning(const Record& record) : record_(record), polled_(polled_cells(record)) {}

  std::optional<Record> run() {
    if (!find_edges()) return std::nullopt;
    result_ = record_;
    result_.events.clear();
    result_.order.clear();
    for (const SemId& token : tokens_) result_.cells.add(token);
    write_events();
    return std::move(result_);
  }

 private:
  struct Part {
    EventId event;  // next to which the part is inserted
    RecordedEvent part;
  };
  const RecordedEvent& event(EventId e) const { return record_.events[e]; }

  // Adds edges to each read from the last event of each other core before it, and from the read to
  // the first event after it. Returns false if a copy changes a count that is read.
  bool find_edges() {
    std::map<CellId, std::map<RecordedAgentId, std::vector<EventId>>> on_cell;
    for (const EventId e : record_.order) {
      if (!is_visible(event(e), polled_)) continue;
      if (!record_.is_core(event(e).agent)) return false;
      on_cell[event(e).cell()][event(e).agent].push_back(e);
    }
    std::map<std::pair<CellId, RecordedAgentId>, std::size_t> done;
    for (const EventId e : record_.order) {
      if (!is_visible(event(e), polled_)) continue;
      const CellId cell = event(e).cell();
      if (event(e).act == Act::poll) {
        for (const auto& [agent, events] : on_cell[cell]) {
          if (agent == event(e).agent) continue;
          const std::size_t n = done[{cell, agent}];
          if (n > 0) edge(events[n - 1], e, cell);
          if (n < events.size()) edge(e, events[n], cell);
        }
      }
      ++done[{cell, event(e).agent}];
    }
    return true;
  }

  // Adds a token that is signalled after `first` and awaited before the step of `second`.
  void edge(EventId first, EventId second, CellId cell) {
    const CellId token(record_.cells.size() + tokens_.size());
    SemId id = record_.cells[cell];
    id.core = Record::core_of(event(second).agent);
    tokens_.push_back(id);
    after_.push_back({first, part_of(first, Act::signal, token)});
    EventId begin = second;
    while (begin > record_.agents[event(second).agent].begin &&
           event(begin - 1).statement == event(second).statement &&
           event(begin - 1).step == event(second).step)
      --begin;
    before_.push_back({begin, part_of(second, Act::await, token)});
  }

  RecordedEvent part_of(EventId e, Act act, CellId token) const {
    return {.act = act,
            .amount = 1,
            .object = token,
            .agent = event(e).agent,
            .statement = event(e).statement,
            .step = event(e).step};
  }

  void write_events() {
    // New position of each event; `begin` includes the parts inserted before it.
    Table<EventId, EventId> begin, self;
    const auto by_event = [](const Part& a, const Part& b) { return a.event < b.event; };
    std::stable_sort(before_.begin(), before_.end(), by_event);
    std::stable_sort(after_.begin(), after_.end(), by_event);
    std::size_t next_before = 0, next_after = 0;
    const auto write = [&](const std::vector<Part>& parts, std::size_t& next, EventId e) {
      for (; next < parts.size() && parts[next].event == e; ++next)
        result_.events.add(parts[next].part);
    };
    for (const EventId e : record_.events.ids()) {
      begin.add(result_.events.next());
      write(before_, next_before, e);
      self.add(result_.events.add(event(e)));
      write(after_, next_after, e);
    }
    begin.add(result_.events.next());
    for (RecordedAgent& agent : result_.agents) {
      agent.begin = begin[agent.begin];
      agent.end = begin[agent.end];
      if (agent.started_at) agent.started_at = self[agent.started_at];
    }
    for (const EventId e : record_.order)
      for (const EventId i : IdRange(begin[e], begin[e + 1])) result_.order.push_back(i);
  }

  const Record& record_;
  const Table<CellId, bool> polled_;
  std::vector<SemId> tokens_;
  std::vector<Part> before_, after_;
  Record result_;
};

}  // namespace

Table<CellId, bool> polled_cells(const Record& record) {
  const Program& program = *record.program;
  const Semaphores semaphores(program);
  Table<SemaphoreId, bool> is_polled(program.semaphores.size());
  for (const Stmt& stmt : program.body) {
    const auto* read = std::get_if<ReadSem>(&stmt.op);
    if (read == nullptr) continue;
    is_polled[semaphores.first(program.value(read->sem.base).semaphore)] = true;
  }
  Table<CellId, bool> polled;
  for (const SemId& cell : record.cells) polled.add(is_polled[cell.semaphore]);
  return polled;
}

std::optional<Record> with_reads_pinned(const Record& record) { return Pinning(record).run(); }

}  // namespace tessera
