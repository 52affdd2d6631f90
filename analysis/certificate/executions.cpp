#include "analysis/certificate/executions.h"

#include <algorithm>
#include <utility>

#include "analysis/certificate/record/record_schedule.h"
#include "interp/schedule/strategies.h"

namespace tessera {
// Replays a record from one visible event to the next. Before each visible event, all other events
// that are possible are done.
class Executions::Walk {
 public:
  Walk(const Record& record, const Table<CellId, bool>& polled,
       std::map<Done, HistoryId>& histories)
      : record_(record),
        polled_(polled),
        histories_(histories),
        count_(record.cells.size()),
        history_(record.core_ids().size()),
        on_cell_(record.cells.size(), EventCounts(record.core_ids().size())),
        schedule_(record, std::nullopt) {
    for (const RecordedAgent& agent : record.agents) position_.add(agent.begin);
    settle();
  }

  bool can_act(RecordedAgentId core) const {
    const EventId p = position_[core];
    if (p >= record_.agents[core].end) return false;
    const RecordedEvent& next = event(p);
    const bool waits = next.act == Act::wait || next.act == Act::await;
    return is_visible(next, polled_) && (!waits || count_[next.cell()] >= next.amount);
  }

  // Returns the histories of all cores as if the next event of `core` had been done.
  Histories key_with(RecordedAgentId core) {
    Histories key = history_;
    key[core] = history_with_next(core);
    return key;
  }

  void act(RecordedAgentId core) {
    history_[core] = history_with_next(core);
    ++on_cell_[event(position_[core]).cell()][core];
    const EventId from = position_[core];
    perform(core);
    log(core, from);
    settle();
  }

  // Returns the steps of all agents since the last call.
  std::vector<ScheduleItem> take_items() { return schedule_.take_items(); }

 private:
  using EventCounts = Table<RecordedAgentId, std::int32_t>;  // by core

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }

  // The history of a read includes the number of events on its cell before the read.
  HistoryId history_with_next(RecordedAgentId core) {
    const RecordedEvent& next = event(position_[core]);
    Done last{history_[core], {}};
    if (next.act == Act::poll) last.read_after = on_cell_[next.cell()].entries();
    return histories_.try_emplace(std::move(last), HistoryId(histories_.size())).first->second;
  }

  // Performs the next event of a core. The event must be possible.
  void perform(RecordedAgentId core) {
    const RecordedEvent& next = event(position_[core]);
    ++position_[core];
    if (next.act == Act::signal) count_[next.cell()] += next.amount;
    if (next.act == Act::wait) count_[next.cell()] -= next.amount;
    if (next.act == Act::start) run_copy(next.copy());
  }

  void run_copy(RecordedAgentId copy) {
    const EventId from = position_[copy];
    for (EventId& p = position_[copy]; p < record_.agents[copy].end; ++p)
      if (event(p).act == Act::signal) count_[event(p).cell()] += event(p).amount;
    started_.push_back({copy, from});
  }

  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const RecordedAgentId core : record_.core_ids()) moved = settle(core) || moved;
    }
  }

  bool settle(RecordedAgentId core) {
    const EventId from = position_[core];
    EventId told = from;
    while (position_[core] < record_.agents[core].end) {
      const RecordedEvent& next = event(position_[core]);
      const bool waits = next.act == Act::wait || next.act == Act::await;
      if (is_visible(next, polled_) || (waits && count_[next.cell()] < next.amount)) break;
      perform(core);
      if (started_.empty()) continue;
      // The schedule has the core's start before the steps of the copy.
      log(core, std::exchange(told, position_[core]));
      for (const auto& [copy, begin] : std::exchange(started_, {})) log(copy, begin);
    }
    log(core, told);
    return position_[core] != from;
  }

  void log(RecordedAgentId agent, EventId from) {
    schedule_.append({.agent = agent, .from = from, .to = position_[agent]});
  }

  const Record& record_;
  const Table<CellId, bool>& polled_;
  std::map<Done, HistoryId>& histories_;
  Table<RecordedAgentId, EventId> position_;
  Table<CellId, std::int64_t> count_;
  Histories history_;                                         // visible events
  Table<CellId, EventCounts> on_cell_;                        // visible events on each cell
  std::vector<std::pair<RecordedAgentId, EventId>> started_;  // copies and their positions before
  RecordSchedule schedule_;
};

Executions::StepId Executions::step(StepId before, RecordedAgentId core,
                                    std::vector<ScheduleItem> items) {
  const auto [known, is_new] = step_of_.try_emplace({before, core}, steps_.next());
  if (is_new) steps_.add({before, core, std::move(items)});
  return known->second;
}

bool Executions::follow(const Record& record, const Beginning& with,
                        std::optional<std::uint64_t> order) {
  const Table<CellId, bool> polled = polled_cells(record);
  std::vector<RecordedAgentId> cores;
  for (const EventId e : record.order) {
    const RecordedEvent& event = record.events[e];
    if (is_visible(event, polled)) cores.push_back(event.agent);
  }
  if (cores.size() < with.cores.size() ||
      !std::equal(with.cores.begin(), with.cores.end(), cores.begin()))
    return false;
  order_ = order;
  topology_ = record.topology;
  Walk walk(record, polled, histories_);
  StepId here = step(StepId(), RecordedAgentId(), walk.take_items());
  for (std::size_t k = 0; k < cores.size(); ++k) {
    if (!walk.can_act(cores[k])) return false;
    if (k >= with.cores.size()) {
      for (const RecordedAgentId core : record.core_ids()) {
        if (core != cores[k] && walk.can_act(core) &&
            known_.insert(walk.key_with(core).entries()).second)
          open_.push_back({here, core});
      }
      // Another run continues from here.
      if (!known_.insert(walk.key_with(cores[k]).entries()).second) return true;
    }
    walk.act(cores[k]);
    here = step(here, cores[k], walk.take_items());
  }
  return true;
}

// The beginning is the path to the open step, followed by one step of its core.
Executions::Beginning Executions::take() {
  const Open next = open_.back();
  open_.pop_back();
  std::vector<StepId> steps;
  for (StepId s = next.after; s; s = steps_[s].before) steps.push_back(s);
  Beginning beginning;
  Schedule schedule = replay_of_items(order_);
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Step& step = steps_[steps[i]];
    if (step.core) beginning.cores.push_back(step.core);
    for (const ScheduleItem& item : step.items) append(schedule.items, item);
  }
  beginning.cores.push_back(next.core);
  append(schedule.items, {.agent = topology_.agent(Record::core_of(next.core))});
  beginning.schedule = to_string(schedule);
  return beginning;
}

}  // namespace tessera
