#include "interp/certificate/executions.h"

#include <algorithm>
#include <utility>

#include "interp/certificate/record/record_schedule.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

// Goes through a record from one visible event to the next, whatever else can move moved first.
class Executions::Walk {
 public:
  Walk(const Record& record, const std::vector<bool>& polled,
       std::map<std::vector<std::int32_t>, std::int32_t>& histories)
      : record_(record),
        polled_(polled),
        histories_(histories),
        count_(record.cells.size()),
        history_(at(record.cores())),
        on_cell_(record.cells.size(), std::vector<std::int32_t>(at(record.cores()))),
        schedule_(record, std::nullopt) {
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

  // What every core did, were this one next.
  std::vector<std::int32_t> key_with(std::int32_t core) {
    std::vector<std::int32_t> key = history_;
    key[at(core)] = history_with_next(core);
    return key;
  }

  void act(std::int32_t core) {
    history_[at(core)] = history_with_next(core);
    ++on_cell_[at(event(position_[at(core)]).object)][at(core)];
    const std::int32_t from = position_[at(core)];
    perform(core);
    log(core, from);
    settle();
  }

  // Steps of all agents since this was asked last.
  std::vector<ScheduleItem> take_items() { return schedule_.take_items(); }

 private:
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }

  // Of a read, too, what it came after.
  std::int32_t history_with_next(std::int32_t core) {
    const RecordedEvent& next = event(position_[at(core)]);
    std::vector<std::int32_t> last = {history_[at(core)]};
    if (next.act == Act::poll)
      last.insert(last.end(), on_cell_[at(next.object)].begin(), on_cell_[at(next.object)].end());
    // 0: it did nothing.
    const auto number = static_cast<std::int32_t>(histories_.size() + 1);
    return histories_.try_emplace(std::move(last), number).first->second;
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

  void log(std::int32_t agent, std::int32_t from) {
    schedule_.append({.agent = agent, .from = from, .to = position_[at(agent)]});
  }

  const Record& record_;
  const std::vector<bool>& polled_;
  std::map<std::vector<std::int32_t>, std::int32_t>& histories_;
  std::vector<std::int32_t> position_;              // by agent
  std::vector<std::int64_t> count_;                 // by cell
  std::vector<std::int32_t> history_;               // by core: of its visible events
  std::vector<std::vector<std::int32_t>> on_cell_;  // by cell and core: visible events on it
  std::vector<std::pair<std::int32_t, std::int32_t>> started_;  // copies, and where they stood
  RecordSchedule schedule_;
};

std::int32_t Executions::step(std::int32_t before, std::int32_t core,
                              std::vector<ScheduleItem> items) {
  const auto number = static_cast<std::int32_t>(steps_.size());
  const auto [known, is_new] = step_of_.try_emplace({before, core}, number);
  if (is_new) steps_.push_back({before, core, std::move(items)});
  return known->second;
}

bool Executions::follow(const Record& record, const Beginning& with,
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
  order_ = order;
  topology_ = record.topology;
  Walk walk(record, polled, histories_);
  std::int32_t here = step(-1, -1, walk.take_items());
  for (std::size_t k = 0; k < cores.size(); ++k) {
    if (!walk.can_act(cores[k])) return false;
    if (k >= with.cores.size()) {
      for (std::int32_t core = 0; core < record.cores(); ++core) {
        if (core != cores[k] && walk.can_act(core) && known_.insert(walk.key_with(core)).second)
          open_.push_back({here, core});
      }
      // Somebody else goes on from there.
      if (!known_.insert(walk.key_with(cores[k])).second) return true;
    }
    walk.act(cores[k]);
    here = step(here, cores[k], walk.take_items());
  }
  return true;
}

// Up to there, and then a step of the core.
Executions::Beginning Executions::take() {
  const Open next = open_.back();
  open_.pop_back();
  std::vector<std::int32_t> steps;
  for (std::int32_t s = next.after; s >= 0; s = steps_[at(s)].before) steps.push_back(s);
  Beginning beginning;
  Schedule schedule = replay_of_items(order_);
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Step& step = steps_[at(steps[i])];
    if (step.core >= 0) beginning.cores.push_back(step.core);
    for (const ScheduleItem& item : step.items) append(schedule.items, item);
  }
  beginning.cores.push_back(next.core);
  append(schedule.items, {.agent = topology_.agent(next.core)});
  beginning.schedule = to_string(schedule);
  return beginning;
}

}  // namespace tessera
