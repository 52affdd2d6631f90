#include "interp/certificate/points/point_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/certificate/points/thread_tree.h"
#include "interp/findings/describe.h"
#include "interp/machine/cell_owners.h"
#include "interp/machine/point_sharing.h"

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Forking {
 public:
  Forking(const Record& record, const std::set<std::int32_t>& loops)
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
  static constexpr std::int32_t none = ThreadTree::none;

  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }
  bool is_forked(const RecordedEvent& e) const { return tessera::is_forked(e, loops_); }
  std::int32_t threads() const { return static_cast<std::int32_t>(tree_.points.size()); }
  std::int32_t core_of(std::int32_t thread) const {
    while (tree_.points[at(thread)].parent != none) thread = tree_.points[at(thread)].parent;
    return thread;
  }
  // The statement of the loop whose point the thread is.
  std::int32_t loop_of(std::int32_t thread) const {
    return result_.loops[at(tree_.points[at(thread)].loop)].statement;
  }
  std::int32_t renumbered(std::int32_t copy) const { return copy + threads() - record_.cores(); }

  void number_agents() {
    Record& to = result_.record;
    to = record_;
    to.events.clear();
    to.order.clear();
    // Each thread counts as a core; nothing here asks for devices.
    to.topology = {1, threads()};
    std::vector<RecordedAgent> agents;
    for (const ThreadTree::Point& point : tree_.points) {
      RecordedAgent agent = record_.agents[at(core_of(point.thread))];
      agent.issuer = point.thread;
      agents.push_back(agent);
    }
    for (std::size_t a = at(record_.cores()); a < record_.agents.size(); ++a) {
      RecordedAgent agent = record_.agents[a];
      agent.issuer = tree_.issuer.at(static_cast<std::int32_t>(a));
      if (agent.before >= 0) agent.before = renumbered(agent.before);
      agents.push_back(agent);
    }
    to.agents = std::move(agents);
    for (const ThreadTree::Point& point : tree_.points) {
      const SemId place{core_of(point.thread), SemaphoreId(0), 0};
      begin_.push_back(new_cell(place));
      // What the thread's own loops are joined by.
      join_.push_back(new_cell(place));
    }
  }

  std::int32_t new_cell(const SemId& like) {
    result_.record.cells.push_back(like);
    return static_cast<std::int32_t>(result_.record.cells.size()) - 1;
  }

  void follow_counts() {
    for (std::int32_t core = 0; core < record_.cores(); ++core) {
      const RecordedAgent& agent = record_.agents[at(core)];
      const auto count = [&](std::int32_t cell, std::int64_t amount) {
        owners_.count(core, cell, record_.cells[at(cell)].site == core, amount);
      };
      for (std::int32_t e = agent.begin; e < agent.end; ++e) {
        const RecordedEvent& self = event(e);
        if (is_forked(self)) {
          if (self.act == Act::point)
            owners_.begin_point(core, self.statement);
          else
            owners_.end_loop(core);
        }
        if (self.act == Act::signal) count(self.object, self.amount);
        if (self.act == Act::wait) count(self.object, -self.amount);
        if (self.act == Act::await || self.act == Act::poll) count(self.object, 0);
        if (self.act != Act::start) continue;
        const RecordedAgent& copy = record_.agents[at(self.object)];
        for (std::int32_t s = copy.begin; s < copy.end; ++s)
          if (event(s).act == Act::signal) count(event(s).object, event(s).amount);
      }
    }
  }

  bool is_own(std::int32_t thread, std::int32_t cell) const {
    return !shared_.semaphores[record_.cells[at(cell)].semaphore] &&
           !owners_.is_shared(loop_of(thread), cell);
  }

  // What the points of a loop share may still be a point's own of a loop around it.
  std::int32_t cell_for(std::int32_t thread, std::int32_t cell) {
    while (thread >= record_.cores() && !is_own(thread, cell))
      thread = tree_.points[at(thread)].parent;
    if (thread < record_.cores()) return cell;
    const auto [known, is_new] = own_cells_.try_emplace({thread, cell}, none);
    if (is_new) {
      SemId id = record_.cells[at(cell)];
      known->second = new_cell(id);
    }
    return known->second;
  }

  // Of a semaphore too its life is the point's when all of its counts are.
  bool is_shared(std::int32_t thread, const Range& range) {
    if (range.kind == ObjectKind::buffer) return shared_.buffers[range.buffer()];
    if (range.kind != ObjectKind::semaphore || shared_.semaphores[range.semaphore()]) return true;
    Table<SemaphoreId, bool>& lives = shared_lives_[loop_of(thread)];
    if (lives.empty()) {
      lives.resize(record_.program->semaphores.size());
      for (std::size_t c = 0; c < record_.cells.size(); ++c)
        if (!is_own(thread, static_cast<std::int32_t>(c))) lives[record_.cells[c].semaphore] = true;
    }
    return lives[range.semaphore()];
  }

  // Scratch of the core that a point uses is a copy of its own.
  std::int32_t range_for(std::int32_t thread, std::int32_t range) {
    const Range& as_it_is = record_.ranges[at(range)];
    while (thread >= record_.cores() && is_shared(thread, as_it_is))
      thread = tree_.points[at(thread)].parent;
    if (thread < record_.cores()) return range;
    const auto [known, is_new] = own_ranges_.try_emplace({thread, range}, none);
    if (is_new) {
      Range copy = as_it_is;
      copy.home = thread;
      known->second = static_cast<std::int32_t>(result_.record.ranges.size());
      result_.record.ranges.push_back(copy);
    }
    return known->second;
  }

  // Events in the order of the run, dealt out to the threads; a point waits until its loop begins,
  // and a loop ends when all of its points have.
  void write() {
    std::vector<std::vector<RecordedEvent>> lists(result_.record.agents.size());
    std::vector<std::pair<std::int32_t, std::int32_t>> order;  // agent, number in its list
    const auto put = [&](std::int32_t agent, RecordedEvent e) {
      e.agent = agent;
      order.emplace_back(agent, static_cast<std::int32_t>(lists[at(agent)].size()));
      lists[at(agent)].push_back(e);
    };
    std::vector<std::int32_t> at_hand(at(record_.cores()));
    for (std::int32_t core = 0; core < record_.cores(); ++core) at_hand[at(core)] = core;
    for (const std::int32_t e : record_.order) {
      RecordedEvent self = event(e);
      if (!record_.is_core(self.agent)) {
        const std::int32_t thread = tree_.issuer.at(self.agent);
        move_to(self, thread);
        put(renumbered(self.agent), self);
        continue;
      }
      std::int32_t& now = at_hand[at(self.agent)];
      if (is_forked(self)) {
        turn(e, now, put);
        continue;
      }
      if (self.act == Act::point || self.act == Act::points_end) continue;
      const std::int32_t thread = tree_.thread_of[at(e)];
      if (self.act == Act::start) self.object = renumbered(self.object);
      move_to(self, thread);
      put(thread, self);
    }
    gather(lists, order);
  }

  void move_to(RecordedEvent& e, std::int32_t thread) {
    if (e.act == Act::access) e.object = range_for(thread, e.object);
    if (e.act == Act::signal || e.act == Act::wait || e.act == Act::await || e.act == Act::poll)
      e.object = cell_for(thread, e.object);
  }

  // The end of a point, the beginning of the next one, or both.
  template <typename Put>
  void turn(std::int32_t e, std::int32_t& now, const Put& put) {
    RecordedEvent self = event(e);
    const auto token = [&](Act act, std::int32_t cell, std::int64_t amount) {
      RecordedEvent t = self;
      t.act = act;
      t.object = cell;
      t.amount = amount;
      return t;
    };
    const bool is_inside =
        tree_.points[at(now)].loop != none &&
        result_.loops[at(tree_.points[at(now)].loop)].statement == self.statement;
    if (is_inside) {
      const std::int32_t parent = tree_.points[at(now)].parent;
      put(now, token(Act::signal, join_[at(parent)], 1));
      if (self.act == Act::points_end) {
        const auto& all = result_.loops[at(tree_.points[at(now)].loop)].threads;
        put(parent, token(Act::wait, join_[at(parent)], static_cast<std::int64_t>(all.size())));
      }
      now = parent;
    }
    if (self.act == Act::points_end) return;
    const std::int32_t thread = tree_.thread_of[at(e)];
    if (!is_inside) {
      for (const std::int32_t each : result_.loops[at(tree_.points[at(thread)].loop)].threads)
        put(now, token(Act::signal, begin_[at(each)], 1));
    }
    put(thread, token(Act::wait, begin_[at(thread)], 1));
    now = thread;
  }

  void gather(const std::vector<std::vector<RecordedEvent>>& lists,
              const std::vector<std::pair<std::int32_t, std::int32_t>>& order) {
    Record& to = result_.record;
    for (std::size_t a = 0; a < lists.size(); ++a) {
      to.agents[a].begin = static_cast<std::int32_t>(to.events.size());
      to.events.insert(to.events.end(), lists[a].begin(), lists[a].end());
      to.agents[a].end = static_cast<std::int32_t>(to.events.size());
    }
    for (std::size_t e = 0; e < to.events.size(); ++e)
      if (to.events[e].act == Act::start)
        to.agents[at(to.events[e].object)].started_at = static_cast<std::int32_t>(e);
    for (const auto& [agent, number] : order)
      to.order.push_back(to.agents[at(agent)].begin + number);
  }

  const Record& record_;
  const std::set<std::int32_t>& loops_;
  const ThreadTree tree_;
  const PointSharing shared_;
  std::vector<std::int32_t> begin_, join_;       // by thread: cells
  CellOwners owners_;
  // By loop and semaphore: one of its cells is shared.
  std::map<std::int32_t, Table<SemaphoreId, bool>> shared_lives_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> own_cells_, own_ranges_;
  PointThreads result_;
};

}  // namespace

PointThreads as_threads(const Record& record, const std::set<std::int32_t>& loops) {
  return Forking(record, loops).run();
}

}  // namespace tessera
