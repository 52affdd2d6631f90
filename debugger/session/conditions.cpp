#include "debugger/session/conditions.h"

#include <algorithm>
#include <utility>

#include "debugger/session/inspect.h"
#include "interp/machine/loop_indices.h"
#include "interp/machine/machine_image.h"

namespace tessera {
namespace {

bool writes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::accumulate || kind == EventKind::update;
}

Cause cause_of(const Event& event) { return {event.kind, event.agent, event.statement}; }

// Returns the agent of the finding, or the first core of its device.
Cause cause_of(const Finding& finding) {
  const AgentId of_device{.device = std::max(finding.at.device, 0)};
  return {EventKind::enter, parse_agent(finding.at.agent).value_or(of_device),
          finding.about.statement};
}

Core& core_of(Machine& machine, const AgentId& agent) {
  return machine.core_state(machine.topology().of(agent)).core;
}

}  // namespace

LineReached::LineReached(const Program& program, const SourceLine& line, Whose whose,
                         LoopIndices loops)
    : is_entry_(program.body.size()), whose_(whose), loops_(std::move(loops)) {
  for (const StmtId s : entries(program, line)) is_entry_[s] = true;
}

std::optional<Cause> LineReached::holds(const Moment& moment) {
  if (!moment.mover || moment.mover->is_copy() || !moment.statement) return {};
  if (!is_entry_[moment.statement] || !whose_.has(*moment.mover)) return {};
  if (!loops_.empty()) {
    const LoopIndices here = moment.machine.loops_of(*moment.mover, moment.statement);
    for (const LoopIndex& wanted : loops_)
      if (std::find(here.begin(), here.end(), wanted) == here.end()) return {};
  }
  return Cause{EventKind::enter, *moment.mover, moment.statement};
}

void Written::begin(Machine& machine) {
  machine_ = &machine;
  seen_.reset();
}

void Written::on(const Event& event) {
  if (event.object_kind != ObjectKind::buffer || event.object.buffer() != buffer_ ||
      !writes(event.kind) || event.box == nullptr || !intersects(*event.box, box_))
    return;
  const Space space = machine_->program().buffers[buffer_].space;
  if (machine_->topology().owner(event.core, space) == owner_) seen_ = cause_of(event);
}

std::optional<Cause> Written::holds(const Moment&) { return std::exchange(seen_, std::nullopt); }

void Counted::on(const Event& event) {
  const bool counts = event.kind == EventKind::signal || event.kind == EventKind::wait;
  if (counts && event.object_kind == ObjectKind::semaphore && event.core == sem_.core &&
      event.object.semaphore() == sem_.semaphore && event.cell == sem_.cell)
    seen_ = cause_of(event);
}

std::optional<Cause> Counted::holds(const Moment&) { return std::exchange(seen_, std::nullopt); }

void CopyMoved::on(const Event& event) {
  const bool moves = event.kind == EventKind::read || writes(event.kind);
  if (moves && event.agent == copy_) seen_ = cause_of(event);
}

std::optional<Cause> CopyMoved::holds(const Moment&) { return std::exchange(seen_, std::nullopt); }

std::optional<Cause> Found::holds(const Moment& moment) {
  const std::vector<Finding>& all = moment.machine.findings();
  const std::size_t known = std::exchange(known_, all.size());
  for (std::size_t i = known; i < all.size(); ++i)
    if (std::find(but_.begin(), but_.end(), all[i].kind) == but_.end()) return cause_of(all[i]);
  return {};
}

// Findings of a step are reported at the position after it.
bool Found::may_hold(const MachineImage& from, const MachineImage& to) const {
  return from.findings.size() != to.findings.size();
}

void Stepped::begin(Machine& machine) { until_ = core_of(machine, core_).steps() + steps_; }

std::optional<Cause> Stepped::holds(const Moment& moment) {
  const Core& core = core_of(moment.machine, core_);
  if (core.steps() < until_ && !core.is_finished()) return {};
  return Cause{EventKind::leave, core_, StmtId()};
}

void LineLeft::begin(Machine& machine) {
  const Core& core = core_of(machine, core_);
  steps_ = core.steps();
  line_ = core.is_finished() ? SourceLine{} : line_of(machine.program(), core.statement());
}

std::optional<Cause> LineLeft::holds(const Moment& moment) {
  const Core& core = core_of(moment.machine, core_);
  const bool has_left =
      core.is_finished() ||
      (core.steps() > steps_ && line_of(moment.machine.program(), core.statement()) != line_);
  if (!has_left) return {};
  return Cause{EventKind::leave, core_, StmtId()};
}

std::optional<Cause> Reached::holds(const Moment& moment) {
  if (moment.position != position_) return {};
  return Cause{EventKind::enter, told_, moment.statement};
}

bool Reached::may_hold(const MachineImage& from, const MachineImage& to) const {
  return from.numbers.step <= position_ && position_ <= to.numbers.step;
}

std::optional<Cause> FindingReached::holds(const Moment& moment) {
  if (!moment.mover || !moment.statement || !place_.loc) return {};
  if (to_string(*moment.mover) != place_.agent) return {};
  const SourceLine wanted{place_.loc.source->name, place_.loc.line};
  if (line_of(moment.machine.program(), moment.statement) != wanted) return {};
  if (!place_.loops.empty() &&
      loops_around(moment.machine, *moment.mover, moment.statement) != place_.loops)
    return {};
  return Cause{EventKind::enter, *moment.mover, moment.statement};
}

// The step counts are only known for cores that are in the images.
bool AboutToStep::may_hold(const MachineImage& from, const MachineImage& to) const {
  const auto core_index = static_cast<std::size_t>(index_.index);
  return core_index >= from.cores.size() ||
         from.cores[core_index].core.steps != to.cores[core_index].core.steps;
}

std::optional<Cause> AboutToStep::holds(const Moment& moment) {
  if (moment.mover != core_) return {};
  if (but_.line > 0 && line_of(moment.machine.program(), moment.statement) == but_) return {};
  return Cause{EventKind::enter, core_, moment.statement};
}

}  // namespace tessera
