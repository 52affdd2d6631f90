#include "analysis/certificate/points/point_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/certificate/points/thread_tree.h"
#include "interp/findings/describe.h"
#include "interp/machine/cell_owners.h"
#include "interp/machine/point_sharing.h"

namespace tessera {
namespace {

class Forking {
 public:
  Forking(const Record& record, const std::set<StmtId>& loops)
      : record_(record),
        loops_(loops),
        tree_(thread_tree(record, loops)),
        shared_(*record.program),
        owners_(record.cores(), static_cast<std::int64_t>(record.cells.size())) {}

  PointThreads run() {
    result_.loops = tree_.loops;
    result_.names = tree_.names;
    number_agents();
    follow_counts();
    write();
    return std::move(result_);
  }

 private:
  using EventLists = Table<RecordedAgentId, std::vector<RecordedEvent>>;
  // Agents and indices in their lists.
  using Order = std::vector<std::pair<RecordedAgentId, std::int32_t>>;

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  // Both records have the same cores.
  bool is_point(RecordedAgentId thread) const { return !record_.is_core(thread); }
  bool is_forked(const RecordedEvent& e) const { return tessera::is_forked(e, loops_); }
  std::int32_t threads() const { return static_cast<std::int32_t>(tree_.points.size()); }
  RecordedAgentId core_of(RecordedAgentId thread) const {
    while (tree_.points[thread].parent) thread = tree_.points[thread].parent;
    return thread;
  }
  // Returns the statement of the loop of an iteration.
  StmtId loop_of(RecordedAgentId thread) const {
    return result_.loops[tree_.points[thread].loop].statement;
  }
  // Id of a copy in the record of threads, which has more agents before it.
  RecordedAgentId renumbered(RecordedAgentId copy) const {
    return copy + threads() - record_.cores();
  }

  void number_agents() {
    Record& to = result_.record;
    to = record_;
    to.events.clear();
    to.order.clear();
    // Each thread counts as a core. Devices are not used here.
    to.topology = {1, threads()};
    to.agents.clear();
    for (const RecordedAgentId thread : tree_.points.ids()) {
      RecordedAgent agent = record_.agents[core_of(thread)];
      agent.issuer = thread;
      to.agents.add(agent);
    }
    for (const RecordedAgentId copy : record_.copy_ids()) {
      RecordedAgent agent = record_.agents[copy];
      agent.issuer = tree_.issuer.at(copy);
      if (agent.before) agent.before = renumbered(agent.before);
      to.agents.add(agent);
    }
    for (const RecordedAgentId thread : tree_.points.ids()) {
      const SemId place{Record::core_of(core_of(thread)), SemaphoreId(0), 0};
      begin_.add(to.cells.add(place));
      // Joins the loops of the thread.
      join_.add(to.cells.add(place));
    }
  }

  // Determines the owners of cells. Cells have the same ids as in the record.
  void follow_counts() {
    for (const RecordedAgentId core : record_.core_ids()) {
      const RecordedAgent& agent = record_.agents[core];
      const auto count = [&](CellId cell, std::int64_t amount) {
        owners_.count(Record::core_of(core), cell.index, record_.owner(cell) == core, amount);
      };
      for (const EventId e : agent.events()) {
        const RecordedEvent& self = event(e);
        if (is_forked(self)) {
          if (self.act == Act::point)
            owners_.begin_point(Record::core_of(core), self.statement);
          else
            owners_.end_loop(Record::core_of(core));
        }
        if (self.act == Act::signal) count(self.cell(), self.amount);
        if (self.act == Act::wait) count(self.cell(), -self.amount);
        if (self.act == Act::await || self.act == Act::poll) count(self.cell(), 0);
        if (self.act != Act::start) continue;
        const RecordedAgent& copy = record_.agents[self.copy()];
        for (const EventId s : copy.events())
          if (event(s).act == Act::signal) count(event(s).cell(), event(s).amount);
      }
    }
  }

  bool is_own(RecordedAgentId thread, CellId cell) const {
    return !shared_.semaphores[record_.cells[cell].semaphore] &&
           !owners_.is_shared(loop_of(thread), cell.index);
  }

  // A cell that iterations of a loop share may still be private to an iteration of a loop around
  // it.
  CellId cell_for(RecordedAgentId thread, CellId cell) {
    while (is_point(thread) && !is_own(thread, cell)) thread = tree_.points[thread].parent;
    if (!is_point(thread)) return cell;
    const auto [known, is_new] = own_cells_.try_emplace({thread, cell});
    if (is_new) known->second = result_.record.cells.add(record_.cells[cell]);
    return known->second;
  }

  // The lifetime of a semaphore is private to an iteration if all its cells are.
  bool is_shared(RecordedAgentId thread, const Range& range) {
    if (range.kind == ObjectKind::buffer) return shared_.buffers[range.buffer()];
    if (range.kind != ObjectKind::semaphore || shared_.semaphores[range.semaphore()]) return true;
    Table<SemaphoreId, bool>& lives = shared_lives_[loop_of(thread)];
    if (lives.empty()) {
      lives.resize(record_.program->semaphores.size());
      for (const CellId c : record_.cells.ids())
        if (!is_own(thread, c)) lives[record_.cells[c].semaphore] = true;
    }
    return lives[range.semaphore()];
  }

  // An iteration uses its own copy of the core's scratch.
  RangeId range_for(RecordedAgentId thread, RangeId range) {
    const Range& as_it_is = record_.ranges[range];
    while (is_point(thread) && is_shared(thread, as_it_is)) thread = tree_.points[thread].parent;
    if (!is_point(thread)) return range;
    const auto [known, is_new] = own_ranges_.try_emplace({thread, range});
    if (is_new) {
      Range copy = as_it_is;
      copy.owner = Record::core_of(thread);
      known->second = result_.record.ranges.add(copy);
    }
    return known->second;
  }

  // Distributes the events to the threads in the order of the run. An iteration waits for the start
  // of its loop, and a loop ends after all its iterations.
  void write() {
    EventLists lists(result_.record.agents.size());
    Order order;
    const auto put = [&](RecordedAgentId agent, RecordedEvent e) {
      e.agent = agent;
      order.emplace_back(agent, static_cast<std::int32_t>(lists[agent].size()));
      lists[agent].push_back(e);
    };
    Table<RecordedAgentId, RecordedAgentId> at_hand;  // current thread, by core
    for (const RecordedAgentId core : record_.core_ids()) at_hand.add(core);
    for (const EventId e : record_.order) {
      RecordedEvent self = event(e);
      if (!record_.is_core(self.agent)) {
        const RecordedAgentId thread = tree_.issuer.at(self.agent);
        move_to(self, thread);
        put(renumbered(self.agent), self);
        continue;
      }
      RecordedAgentId& now = at_hand[self.agent];
      if (is_forked(self)) {
        turn(e, now, put);
        continue;
      }
      if (self.act == Act::point || self.act == Act::points_end) continue;
      const RecordedAgentId thread = tree_.thread_of[e];
      if (self.act == Act::start) self.object = renumbered(self.copy());
      move_to(self, thread);
      put(thread, self);
    }
    gather(lists, order);
  }

  void move_to(RecordedEvent& e, RecordedAgentId thread) {
    if (e.act == Act::access) e.object = range_for(thread, e.range());
    if (e.act == Act::signal || e.act == Act::wait || e.act == Act::await || e.act == Act::poll)
      e.object = cell_for(thread, e.cell());
  }

  // Ends an iteration, begins the next one, or both.
  template <typename Put>
  void turn(EventId e, RecordedAgentId& now, const Put& put) {
    RecordedEvent self = event(e);
    const auto token = [&](Act act, CellId cell, std::int64_t amount) {
      RecordedEvent t = self;
      t.act = act;
      t.object = cell;
      t.amount = amount;
      return t;
    };
    const bool is_inside =
        tree_.points[now].loop && result_.loops[tree_.points[now].loop].statement == self.statement;
    if (is_inside) {
      const RecordedAgentId parent = tree_.points[now].parent;
      put(now, token(Act::signal, join_[parent], 1));
      if (self.act == Act::points_end) {
        const auto& all = result_.loops[tree_.points[now].loop].threads;
        put(parent, token(Act::wait, join_[parent], static_cast<std::int64_t>(all.size())));
      }
      now = parent;
    }
    if (self.act == Act::points_end) return;
    const RecordedAgentId thread = tree_.thread_of[e];
    if (!is_inside) {
      for (const RecordedAgentId each : result_.loops[tree_.points[thread].loop].threads)
        put(now, token(Act::signal, begin_[each], 1));
    }
    put(thread, token(Act::wait, begin_[thread], 1));
    now = thread;
  }

  void gather(const EventLists& lists, const Order& order) {
    Record& to = result_.record;
    for (const RecordedAgentId a : lists.ids()) {
      to.agents[a].begin = to.events.next();
      for (const RecordedEvent& e : lists[a]) to.events.add(e);
      to.agents[a].end = to.events.next();
    }
    for (const EventId e : to.events.ids())
      if (to.events[e].act == Act::start) to.agents[to.events[e].copy()].started_at = e;
    for (const auto& [agent, number] : order) to.order.push_back(to.agents[agent].begin + number);
  }

  const Record& record_;
  const std::set<StmtId>& loops_;
  const ThreadTree tree_;
  const PointSharing shared_;
  Table<RecordedAgentId, CellId> begin_, join_;  // by thread
  CellOwners owners_;
  // By loop and semaphore: true if one of its cells is shared.
  std::map<StmtId, Table<SemaphoreId, bool>> shared_lives_;
  std::map<std::pair<RecordedAgentId, CellId>, CellId> own_cells_;
  std::map<std::pair<RecordedAgentId, RangeId>, RangeId> own_ranges_;
  PointThreads result_;
};

}  // namespace

PointThreads as_threads(const Record& record, const std::set<StmtId>& loops) {
  return Forking(record, loops).run();
}

}  // namespace tessera
