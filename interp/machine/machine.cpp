// The loop that moves agents in the order of the schedule.
#include "interp/machine/machine.h"

#include <algorithm>
#include <utility>

#include "core/host/host_memory.h"
#include "core/passes/purpose.h"
#include "core/program/refs.h"
#include "core/report/stop.h"
#include "interp/machine/loop_workers.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

// Number of steps between checks of limits and requests; grows during the run.
constexpr std::int64_t longest_look = 1 << 16, shortest_look = 1 << 10;
constexpr std::int64_t ops_like_a_step = 64;

}  // namespace

Machine::Machine(const Program& program, const RunOptions& options, const Schedule& schedule,
                 Code code, std::int64_t steps_expected)
    : program_(program),
      options_(options),
      schedule_(schedule),
      code_(std::move(code)),
      slow_device_(strategy_of(schedule).replays() ? -1 : options.machine.slow_device),
      topology_{options.machine.devices, options.machine.cores, options.machine.loop_workers},
      copies_(topology_, options.copies.order == DmaOrder::fifo),
      scheduler_(make_scheduler(schedule, steps_expected)),
      observes_(options.checks.enabled) {
  for (const CoreIndex s : topology_.ids())
    core_states_.add(std::make_unique<CoreState>(program, options.machine.profile, *this,
                                                 topology_.agent(s), code_));
  once_until_.resize(program.buffers.size());
  for (const StmtId i : program.body.ids()) {
    const auto* once = std::get_if<Once>(&program.body[i].op);
    if (const BufferId scope = once != nullptr ? scope_of_once(i) : BufferId())
      once_until_[scope].push_back(program.value(once->ref.base).buffer);
  }
  if (has_debug_statements(program)) {
    StmtId next(0);
    for (const Purpose purpose : purposes(program)) {
      work_.add(next);
      if (purpose == Purpose::work) ++next;
    }
  }
  for (Observer* observer : options.observers)
    if (observer->sees_events()) observers_.push_back(observer);
  if (options.math != Math::none) return;
  for (const Stmt& s : program.body) left_out_.add(is_left_out(program, s.op));
}

Machine::~Machine() {
  if (points_ != nullptr) points_->drop_aliases();
  for (const auto& owner : core_states_)
    for (const auto& storage : owner->storages) storage->drop_aliases();
}

void Machine::emit(Event& event) {
  event.step = step_;
  if (event.kind != EventKind::points_end) hash(event);  // follows from earlier events
  if (regions_ != nullptr) regions_->on(event);
  if (observers_.empty()) return;
  if (!event.agent.is_copy())
    event.registers = core_state(topology_.of(event.agent)).core.registers().data();
  else if (moving_ != nullptr)
    event.loops = &moving_->loops;
  for (Observer* observer : observers_) observer->on(event);
}

// The hash is the same as without debug statements.
void Machine::hash(const Event& event) {
  if (work_.empty() || !event.statement) return hash_.on(event);
  Event same = event;
  same.statement = work_[event.statement];
  hash_.on(same);
}

void Machine::emit_asked(Event& event) {
  event.step = step_;
  event.from_assertion = true;
  event.registers = core_state(topology_.of(event.agent)).core.registers().data();
  for (Observer* observer : observers_)
    if (observer->observes_assertions()) observer->on(event);
}

void Machine::end_by(RunEnd end) {
  if (stopped_) return;
  end_ = end;
  stopped_ = true;
}

// Call this in the exception handler. Before the first step there is no progress to report, so the
// exception is rethrown.
void Machine::end_without_memory() {
  if (step_ == 0) throw;
  MemoryCap::use_reserve();
  stopped_ = false;
  end_by(RunEnd::memory);
}

bool Machine::look() {
  if (options_.progress && step_ + passed_ > 0) options_.progress(Phase::running, step_);
  if (is_stopped(current_stop())) end_by(RunEnd::stop);
  if (step_ + passed_ >= options_.max_steps) end_by(RunEnd::steps);
  for (const Observer* observer : options_.observers)
    if (observer->is_full()) end_by(RunEnd::events);
  limits_look_ = step_ + std::clamp(step_, shortest_look, longest_look);
  limits_look_ = std::min(limits_look_, std::max(options_.max_steps - passed_, step_));
  note_next_look();
  return !stopped_;
}

void Machine::note_next_look() {
  next_look_ = pausing_ != nullptr ? step_ : std::min(limits_look_, pause_at_);
}

bool Machine::may_step() {
  if (step_ >= limits_look_ && !look()) return false;
  is_paused_ = step_ >= pause_at_ || (pausing_ != nullptr && pausing_->before_step());
  note_next_look();
  return !is_paused_;
}

bool Machine::pass(std::int64_t ops) {
  passed_ += ops / ops_like_a_step;
  return look();
}

void Machine::block(Core& core) {
  core.set_next_waiter(std::exchange(cell(core.need().sem).waiter, core.index()));
}

AgentId Machine::id_of(Handle agent) const {
  return is_core(agent) ? topology_.agent(core_index(agent)) : copies_.at(slot(agent)).id;
}

Handle Machine::find(const AgentId& agent) const {
  if (!agent.is_copy()) {
    const bool is_there = agent.core < topology_.cores && agent.device < topology_.devices &&
                          agent.worker < topology_.loop_workers;
    if (!is_there) return nobody;
    const Handle core = handle(topology_.of(agent));
    return ready_.contains(core) ? core : nobody;
  }
  for (const Handle h : ready_.all())
    if (!is_core(h) && copies_.at(slot(h)).id == agent) return h;
  return nobody;
}

Handle Machine::awaited_copy() const {
  for (const CoreIndex core : blocked_) {
    const SemId& sem = core_states_[core]->core.need().sem;
    const SemCell& cell = core_states_[sem.core]->semaphores.cell(sem.semaphore, sem.cell);
    for (std::int32_t entry = cell.first_pending; entry >= 0; entry = copies_.next_pending(entry)) {
      const std::int32_t waited = Copies::slot_of(entry);
      const bool may_move = ready_.contains(handle(waited));
      const std::int32_t first = may_move ? waited : copies_.first_of_lane(waited);
      if (is_slow(copies_.at(first).id.device) == ready_.is_slow_side()) return handle(first);
    }
  }
  return nobody;
}

void Machine::settle(Core& core, Core::Pause pause) {
  const Handle agent = handle(core.index());
  if (pause == Core::Pause::ready) {
    if (!ready_.contains(agent)) ready_.add_core(agent, is_slow(core.id().device));
    return;
  }
  if (ready_.contains(agent)) ready_.remove(agent);
  if (pause == Core::Pause::blocked) blocked_.push_back(core.index());
  if (pause == Core::Pause::forked) begin_points(core);
  if (pause == Core::Pause::point) end_point(core);
}

std::int64_t Machine::move_core(Core& core, const Turn& turn) {
  const std::int64_t before = core.steps();
  const bool slow = is_slow(core.id().device);
  // A slow core stops after each step, because another agent may be able to move.
  do {
    const std::int64_t left =
        turn.steps == Turn::unlimited ? turn.steps : turn.steps - (core.steps() - before);
    settle(core, core.run(slow ? 1 : left, turn.until_start));
    // A loop worker continues with another iteration if its turn has more steps than its iteration.
  } while ((core.is_free() || (slow && ready_.is_slow_side())) && !stopped_ && !is_paused_ &&
           core.steps() - before < turn.steps && ready_.contains(handle(core.index())) &&
           turn.steps != Turn::unlimited);
  return core.steps() - before;
}

Enabled::Open Machine::open_of(const Copy& copy) const {
  return {.to_read = copy.granules - copy.read,
          .to_write = copies_.is_next_to_land(copy) ? copy.read - copy.written : 0,
          .granules = copy.read == 0 ? copy.granules : 0};
}

std::int64_t Machine::move_copy(std::int32_t slot, const Turn& turn) {
  Copy& copy = copies_.at(slot);
  std::int64_t steps = 0;
  while (steps < turn.steps && !stopped_) {
    const CopyPart part = next_part(copy, turn.part);
    if (part.granules == 0) break;
    if (!begin_step()) break;
    ++steps;
    moving_ = &copy;
    step_copy(slot, part);
    moving_ = nullptr;
  }
  if (stopped_) return steps;
  if (copy.written == copy.granules) {
    ready_.remove(handle(slot));
    const std::int32_t next = copies_.remove(slot);
    // It may have read its whole source and waited since then.
    if (next >= 0 && !ready_.contains(handle(next)))
      ready_.add_copy(handle(next), is_slow(copies_.at(next).id.device), copies_.at(next).serial);
  } else if (const Open left = open_of(copy); left.to_read == 0 && left.to_write == 0) {
    ready_.remove(handle(slot));
  }
  return steps;
}

std::int64_t Machine::move(const Turn& turn) {
  if (is_core(turn.agent)) return move_core(core_state(core_index(turn.agent)).core, turn);
  return move_copy(slot(turn.agent), turn);
}

void Machine::record(const AgentId& agent, std::int64_t steps, const CopyPart& part) {
  if (steps == 0) return;
  const bool is_plain = part == CopyPart{};
  if (is_plain && !recorded_.empty() && recorded_.back().agent == agent &&
      recorded_.back().part == part)
    recorded_.back().steps += steps;
  else
    recorded_.push_back({agent, steps, part});
}

void Machine::loop() {
  while (!stopped_ && (turn_ || !ready_.empty())) {
    if (!turn_) {
      turn_ = scheduler_->next(*this);
      turn_steps_ = 0;
      if (turn_->agent == nobody) return refuse(error(scheduler_->problem()));
    }
    Turn left = *turn_;
    if (left.steps != Turn::unlimited) left.steps -= turn_steps_;
    // After a copy completes, its handle is invalid.
    const AgentId id = options_.record.schedule ? id_of(left.agent) : AgentId{};
    const std::int64_t before = step_;
    try {
      turn_steps_ += move(left);
    } catch (...) {
      if (options_.record.schedule) record(id, turn_steps_ + step_ - before, left.part);
      throw;
    }
    if (is_paused_) return;
    scheduler_->moved(turn_steps_);
    if (options_.record.schedule) record(id, turn_steps_, left.part);
    turn_.reset();
  }
}

StmtId Machine::mover_statement() const {
  const Handle agent = turn_->agent;
  if (!is_core(agent)) return copies_.at(slot(agent)).statement;
  const Core& core = core_states_[core_index(agent)]->core;
  return core.is_free() ? StmtId() : core.statement();
}

}  // namespace tessera
