#include "interp/certificate/courses.h"

#include <algorithm>
#include <utility>

#include "interp/schedule.h"

namespace tessera {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Goes through a record from one visible event to the next, whatever else can move moved first.
class Walk {
 public:
  Walk(const Record& record, const std::vector<bool>& polled, std::optional<std::uint64_t> order)
      : record_(record),
        polled_(polled),
        count_(record.cells.size()),
        done_(at(record.cores())),
        on_cell_(record.cells.size(), std::vector<std::int32_t>(at(record.cores()))),
        seen_(at(record.cores())) {
    schedule_.strategy = "steps";
    schedule_.order = order;
    for (const RecordedAgent& agent : record.agents) position_.push_back(agent.begin);
    settle();
  }

  bool can_act(std::int32_t core) const {
    const std::int32_t p = position_[at(core)];
    if (p >= record_.agents[at(core)].end) return false;
    const RecordedEvent& next = event(p);
    const bool waits = next.act == Act::wait || next.act == Act::await;
    return is_visible(next, polled_) && (!waits || count_[at(next.object)] >= next.amount);
  }

  // What was done, and what the reads among it came after, were the core next.
  std::vector<std::int32_t> key_with(std::int32_t core) const {
    std::vector<std::int32_t> done = done_;
    std::vector<std::vector<std::int32_t>> seen = seen_;
    count_in(core, done, seen);
    for (const std::vector<std::int32_t>& of_core : seen) {
      done.push_back(static_cast<std::int32_t>(of_core.size()));
      done.insert(done.end(), of_core.begin(), of_core.end());
    }
    return done;
  }

  void act(std::int32_t core) {
    count_in(core, done_, seen_);
    ++on_cell_[at(event(position_[at(core)]).object)][at(core)];
    const std::int32_t from = position_[at(core)];
    perform(core);
    log(core, from);
    settle();
  }

  // Up to here, and then a step of the core.
  std::string schedule_with(std::int32_t core) const {
    Schedule schedule = schedule_;
    append(schedule, core, 1);
    return to_string(schedule);
  }

 private:
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }

  void count_in(std::int32_t core, std::vector<std::int32_t>& done,
                std::vector<std::vector<std::int32_t>>& seen) const {
    const RecordedEvent& next = event(position_[at(core)]);
    ++done[at(core)];
    if (next.act != Act::poll) return;
    const std::vector<std::int32_t>& before = on_cell_[at(next.object)];
    seen[at(core)].insert(seen[at(core)].end(), before.begin(), before.end());
  }

  // The next event of a core, which can be done.
  void perform(std::int32_t core) {
    const RecordedEvent& next = event(position_[at(core)]++);
    if (next.act == Act::signal) count_[at(next.object)] += next.amount;
    if (next.act == Act::wait) count_[at(next.object)] -= next.amount;
    if (next.act == Act::start) run_copy(next.object);
  }

  void run_copy(std::int32_t copy) {
    const std::int32_t from = position_[at(copy)];
    for (std::int32_t& p = position_[at(copy)]; p < record_.agents[at(copy)].end; ++p)
      if (event(p).act == Act::signal) count_[at(event(p).object)] += event(p).amount;
    started_.push_back({copy, from});
  }

  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t core = 0; core < record_.cores(); ++core) moved = settle(core) || moved;
    }
  }

  bool settle(std::int32_t core) {
    const std::int32_t from = position_[at(core)];
    std::int32_t told = from;
    while (position_[at(core)] < record_.agents[at(core)].end) {
      const RecordedEvent& next = event(position_[at(core)]);
      const bool waits = next.act == Act::wait || next.act == Act::await;
      if (is_visible(next, polled_) || (waits && count_[at(next.object)] < next.amount)) break;
      perform(core);
      if (started_.empty()) continue;
      // A copy moves when its core stands behind its start.
      log(core, std::exchange(told, position_[at(core)]));
      for (const auto& [copy, begin] : std::exchange(started_, {})) log(copy, begin);
    }
    log(core, told);
    return position_[at(core)] != from;
  }

  std::int64_t steps(std::int32_t agent, std::int32_t position) const {
    const RecordedAgent& self = record_.agents[at(agent)];
    if (position < self.end) return event(position).step;
    if (self.begin == self.end) return 0;
    return event(position - 1).step + (event(position - 1).statement >= 0 ? 1 : 0);
  }
  void log(std::int32_t agent, std::int32_t from) {
    append(schedule_, agent, steps(agent, position_[at(agent)]) - steps(agent, from));
  }
  void append(Schedule& schedule, std::int32_t agent, std::int64_t n) const {
    if (n == 0) return;
    const AgentId& id = record_.agents[at(agent)].id;
    if (!schedule.items.empty() && schedule.items.back().agent == id)
      schedule.items.back().steps += n;
    else
      schedule.items.push_back({id, n});
  }

  const Record& record_;
  const std::vector<bool>& polled_;
  std::vector<std::int32_t> position_;              // by agent
  std::vector<std::int64_t> count_;                 // by cell
  std::vector<std::int32_t> done_;                  // by core: visible events
  std::vector<std::vector<std::int32_t>> on_cell_;  // by cell and core: those on it
  std::vector<std::vector<std::int32_t>> seen_;     // by core: what its reads came after
  std::vector<std::pair<std::int32_t, std::int32_t>> started_;  // copies, and where they stood
  Schedule schedule_;
};

}  // namespace

bool Courses::follow(const Record& record, const Beginning& with,
                     std::optional<std::uint64_t> order) {
  const std::vector<bool> polled = polled_cells(record);
  std::vector<std::int32_t> cores;
  for (const std::int32_t e : record.order) {
    const RecordedEvent& event = record.events[at(e)];
    if (is_visible(event, polled)) cores.push_back(event.agent);
  }
  if (cores.size() < with.cores.size() ||
      !std::equal(with.cores.begin(), with.cores.end(), cores.begin()))
    return false;
  Walk walk(record, polled, order);
  for (std::size_t k = 0; k < cores.size(); ++k) {
    if (!walk.can_act(cores[k])) return false;
    if (k >= with.cores.size()) {
      for (std::int32_t core = 0; core < record.cores(); ++core) {
        if (core == cores[k] || !walk.can_act(core) || !known_.insert(walk.key_with(core)).second)
          continue;
        Beginning other{{cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(k)},
                        walk.schedule_with(core)};
        other.cores.push_back(core);
        open_.push_back(std::move(other));
      }
      // Somebody else goes on from there.
      if (!known_.insert(walk.key_with(cores[k])).second) return true;
    }
    walk.act(cores[k]);
  }
  return true;
}

Courses::Beginning Courses::take() {
  Beginning next = std::move(open_.back());
  open_.pop_back();
  return next;
}

}  // namespace tessera
