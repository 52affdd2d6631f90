#include "interp/certificate/witness.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

class Search {
 public:
  Search(const Record& record, const SignalTable& signals, std::int32_t x, std::int32_t y,
         std::optional<std::uint64_t> order)
      : record_(record), net_(record, signals), x_(first_of_step(x)), y_(first_of_step(y)) {
    schedule_.strategy = "steps";
    schedule_.order = order;
  }

  std::optional<Witness> run(Way way) {
    if (way == Way::recorded) follow();
    net_.trace(&stretches_);
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
  std::int64_t steps_of(std::int32_t e) const {
    return has_step(e) ? last_step(e) - event(e).step + 1 : 0;
  }
  // A half of a copy that comes in parts moves its data with the last of them.
  std::int32_t last_step(std::int32_t e) const {
    std::int32_t step = event(e).step;
    if (record_.is_core(event(e).agent)) return step;
    std::int32_t in_memory = e;  // the half's access, before it signals
    while (!reaches_memory(in_memory) && in_memory > agent(event(e).agent).begin) --in_memory;
    for (std::int32_t i = e; i < agent(event(e).agent).end; ++i) {
      if (!reaches_memory(i)) continue;
      if (event(i).access != event(in_memory).access) break;
      step = std::max(step, event(i).step);
    }
    return step;
  }
  bool reaches_memory(std::int32_t e) const {
    return event(e).act == Act::access &&
           record_.ranges[static_cast<std::size_t>(event(e).object)].kind == ObjectKind::buffer;
  }
  // The step in which a run shows the event: for leaving the kernel, the core's last.
  std::int32_t shown_by(std::int32_t e) const {
    const bool is_leave = !has_step(e) && e > agent(event(e).agent).begin;
    return is_leave ? event(e).step - 1 : last_step(e);
  }
  std::int32_t first_of_step(std::int32_t e) const {
    const RecordedAgent& self = agent(event(e).agent);
    while (has_step(e) && e > self.begin && has_step(e - 1) && event(e - 1).step == event(e).step)
      --e;
    return e;
  }

  // The run as it was, until x or y is next.
  void follow() {
    for (const std::int32_t e : record_.order) {
      if (e == x_ || e == y_) return;
      net_.apply(e);
      append(schedule_, event(e).agent, steps(event(e).agent, e + 1) - steps(event(e).agent, e));
    }
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
  Net net_;
  std::int32_t x_, y_;
  std::vector<Net::Stretch> stretches_;
  Schedule schedule_;
};

}  // namespace

std::optional<Witness> find_witness(const Record& record, const SignalTable& signals,
                                    std::int32_t x, std::int32_t y,
                                    std::optional<std::uint64_t> order, Way way) {
  return Search(record, signals, x, y, order).run(way);
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

bool WhichFirst::ends_with(const RunResult& result, const AgentId& agent,
                           std::int32_t statement) const {
  if (statement < 0) return false;
  const Loc loc = program_->loc(program_->body[static_cast<std::size_t>(statement)].place);
  return std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) {
    return f.at.agent == to_string(agent) && f.at.loc.line == loc.line &&
           f.at.loc.column == loc.column;
  });
}

void WhichFirst::end(RunResult& result) {
  is_complete_ = result.is_complete;
  const int now = x_ + y_ == 0 ? 1 : 2;
  if (is_complete_ || now > 2) return;
  if (x_ == 0 && ends_with(result, witness_.x_agent, witness_.x_statement))
    x_ = now;
  else if (y_ == 0 && ends_with(result, witness_.y_agent, witness_.y_statement))
    y_ = now;
}

}  // namespace tessera
