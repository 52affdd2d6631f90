#include "interp/certificate/witness.h"

#include <utility>

namespace tessera {
namespace {

class Search {
 public:
  Search(const Record& record, const Race& race, std::optional<std::uint64_t> order)
      : record_(record),
        signals_(record),
        net_(record, signals_),
        x_(first_of_step(race.x)),
        y_(first_of_step(race.y)) {
    schedule_.strategy = "steps";
    schedule_.order = order;
    net_.trace(&stretches_);
  }

  std::optional<Witness> run() {
    net_.hold(event(x_).agent, x_);
    net_.hold(event(y_).agent, y_);
    if (!reach(x_) || !reach(y_)) return std::nullopt;
    for (const Net::Stretch& s : stretches_)
      append(schedule_, s.agent, steps(s.agent, s.to) - steps(s.agent, s.from));
    Witness witness{.is_partial = record_.is_partial,
                    .x_agent = id(x_),
                    .y_agent = id(y_),
                    .x_step = shown_by(x_),
                    .y_step = shown_by(y_),
                    .x_statement = event(x_).statement,
                    .y_statement = event(y_).statement};
    Schedule x_first = schedule_, y_first = schedule_;
    for (const std::int32_t e : {x_, y_}) append(x_first, event(e).agent, steps_of(e));
    for (const std::int32_t e : {y_, x_}) append(y_first, event(e).agent, steps_of(e));
    witness.x_first = to_string(x_first);
    witness.y_first = to_string(y_first);
    return witness;
  }

 private:
  const RecordedEvent& event(std::int32_t e) const {
    return record_.events[static_cast<std::size_t>(e)];
  }
  const RecordedAgent& agent(std::int32_t a) const {
    return record_.agents[static_cast<std::size_t>(a)];
  }
  AgentId id(std::int32_t e) const { return agent(event(e).agent).id; }
  // Entering and leaving are no steps.
  bool has_step(std::int32_t e) const { return event(e).statement >= 0; }
  // A half in two parts moves its data with the second.
  std::int64_t steps_of(std::int32_t e) const {
    if (!has_step(e)) return 0;
    return event(e).is_first_part ? 2 : 1;
  }
  // The step in which a run shows the event: for leaving the kernel, the core's last.
  std::int32_t shown_by(std::int32_t e) const {
    const bool is_leave = !has_step(e) && e > agent(event(e).agent).begin;
    return event(e).step - (is_leave ? 1 : 0) + (event(e).is_first_part ? 1 : 0);
  }
  std::int32_t first_of_step(std::int32_t e) const {
    const RecordedAgent& self = agent(event(e).agent);
    while (has_step(e) && e > self.begin && has_step(e - 1) && event(e - 1).step == event(e).step)
      --e;
    return e;
  }

  bool reach(std::int32_t e) {
    const std::int32_t a = event(e).agent;
    const RecordedAgent& self = agent(a);
    net_.advance(self.issuer, record_.is_core(a) ? e : self.started_at + 1);
    return net_.position(a) == e && (record_.is_core(a) || net_.is_started(a));
  }

  // How many steps the agent has done when it stands there.
  std::int64_t steps(std::int32_t a, std::int32_t position) const {
    const RecordedAgent& self = agent(a);
    if (position < self.end) return event(position).step;
    return self.begin == self.end ? 0 : event(position - 1).step + (has_step(position - 1) ? 1 : 0);
  }

  void append(Schedule& schedule, std::int32_t a, std::int64_t n) const {
    if (n == 0) return;
    if (!schedule.items.empty() && schedule.items.back().agent == agent(a).id)
      schedule.items.back().steps += n;
    else
      schedule.items.push_back({agent(a).id, n});
  }

  const Record& record_;
  const SignalTable signals_;
  Net net_;
  std::int32_t x_, y_;
  std::vector<Net::Stretch> stretches_;
  Schedule schedule_;
};

}  // namespace

std::optional<Witness> find_witness(const Record& record, const Race& race,
                                    std::optional<std::uint64_t> order) {
  return Search(record, race, order).run();
}

void WhichFirst::on(const Event& event) {
  const int now = x_ + y_ == 0 ? 1 : 2;
  const auto meets = [&](const AgentId& agent, std::int32_t step, std::int32_t statement) {
    if (event.agent != agent || event.agent_step < step) return false;
    is_other_ |= statement >= 0 && event.statement != statement;
    return true;
  };
  if (x_ == 0 && meets(witness_.x_agent, witness_.x_step, witness_.x_statement)) x_ = now;
  if (y_ == 0 && meets(witness_.y_agent, witness_.y_step, witness_.y_statement)) y_ = now;
}

}  // namespace tessera
