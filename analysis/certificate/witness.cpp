#include "analysis/certificate/witness.h"

#include <algorithm>
#include <utility>

#include "analysis/certificate/record/record_schedule.h"

namespace tessera {
namespace {

class Search {
 public:
  Search(const Record& record, const SignalTable& signals, EventId x, EventId y,
         std::optional<std::uint64_t> order)
      : record_(record),
        net_(record, signals),
        x_(first_of_step(x)),
        y_(first_of_step(y)),
        schedule_(record, order) {
    let_meet(x, y);
    let_meet(y, x);
  }

  std::optional<Witness> run(Way way) {
    if (way == Way::recorded) follow();
    net_.trace(&stretches_);
    net_.hold(event(x_).agent, x_);
    net_.hold(event(y_).agent, y_);
    if (!reach(x_) || !reach(y_)) return std::nullopt;
    for (const ProtocolReplay::EventRange& s : stretches_) schedule_.append(s);
    Witness witness{.granularity = record_.granularity,
                    .x_agent = id(x_),
                    .y_agent = id(y_),
                    .x_step = schedule_.shown_by(x_),
                    .y_step = schedule_.shown_by(y_),
                    .x_statement = event(x_).statement,
                    .y_statement = event(y_).statement};
    RecordSchedule x_first = schedule_, y_first = schedule_;
    for (const EventId e : {x_, y_}) x_first.append_step(e);
    for (const EventId e : {y_, x_}) y_first.append_step(e);
    witness.x_first = to_string(x_first.schedule());
    witness.y_first = to_string(y_first.schedule());
    return witness;
  }

 private:
  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  AgentId id(EventId e) const { return agent(event(e).agent).id; }
  // Entering and leaving the kernel are not steps.
  bool has_step(EventId e) const { return static_cast<bool>(event(e).statement); }
  EventId first_of_step(EventId e) const {
    const RecordedAgent& self = agent(event(e).agent);
    while (has_step(e) && e > self.begin && has_step(e - 1) && event(e - 1).step == event(e).step)
      --e;
    return e;
  }

  // Follows the recorded run until x or y is next.
  void follow() {
    for (const EventId e : record_.order) {
      if (e == x_ || e == y_) return;
      net_.apply(e);
      schedule_.append({.agent = event(e).agent, .from = e, .to = e + 1});
    }
  }

  bool reach(EventId e) {
    const RecordedAgentId a = event(e).agent;
    const RecordedAgent& self = agent(a);
    net_.advance(self.issuer, record_.is_core(a) ? e : self.started_at + 1);
    return net_.position(a) == e && (record_.is_core(a) || net_.is_started(a));
  }

  // Orders the granules of a partial copy so that the last one overlaps the other access.
  void let_meet(EventId e, EventId other) {
    const RecordedAgentId a = event(e).agent;
    const Range& self = record_.ranges[event(e).range()];
    const Range& there = record_.ranges[event(other).range()];
    if (record_.is_core(a) || self.kind != ObjectKind::buffer || there.kind != self.kind) return;
    const std::int64_t position = position_in(self.box, intersection(self.box, there.box).start) *
                                  size_of(record_.program->buffers[self.buffer()].dtype);
    schedule_.put_last(a, position / record_.granule_of(agent(a)));
  }

  const Record& record_;
  ProtocolReplay net_;
  EventId x_, y_;
  std::vector<ProtocolReplay::EventRange> stretches_;
  RecordSchedule schedule_;
};

}  // namespace

std::optional<Witness> find_witness(const Record& record, const SignalTable& signals, EventId x,
                                    EventId y, std::optional<std::uint64_t> order, Way way) {
  return Search(record, signals, x, y, order).run(way);
}

void WhichFirst::on(const Event& event) {
  const int now = x_ + y_ == 0 ? 1 : 2;
  const auto meets = [&](const AgentId& agent, std::int32_t step, StmtId statement) {
    if (event.agent != agent || event.agent_step < step) return false;
    is_other_ |= statement && event.statement != statement;
    return true;
  };
  if (x_ == 0 && meets(witness_.x_agent, witness_.x_step, witness_.x_statement)) x_ = now;
  if (y_ == 0 && meets(witness_.y_agent, witness_.y_step, witness_.y_statement)) y_ = now;
}

bool WhichFirst::ends_with(const Finding& finding, const AgentId& agent, StmtId statement) const {
  if (!statement) return false;
  const Loc loc = program_->loc(statement);
  return finding.at.agent == to_string(agent) && finding.at.loc.line == loc.line &&
         finding.at.loc.column == loc.column;
}

void WhichFirst::end(RunResult& result) {
  is_complete_ = result.is_complete;
  if (is_complete_) return;
  for (const Finding& finding : result.findings) {
    const bool is_x = ends_with(finding, witness_.x_agent, witness_.x_statement);
    const bool is_y = ends_with(finding, witness_.y_agent, witness_.y_statement);
    ended_with_lifetime_ |= (is_x || is_y) && finding.kind == FindingKind::lifetime;
    const int now = x_ + y_ == 0 ? 1 : 2;
    if (is_x && x_ == 0 && y_ < 2)
      x_ = now;
    else if (is_y && y_ == 0 && x_ < 2)
      y_ = now;
  }
}

}  // namespace tessera
