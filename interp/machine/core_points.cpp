// Iterations of parallel loops on a core, and their distribution to loop workers.
#include <algorithm>

#include "interp/machine/machine.h"
#include "interp/schedule/random.h"

namespace tessera {

// Selects the next iteration. Any order is allowed; the schedule determines it.
void Core::choose_point(const Instruction& loop) {
  const auto at = [&](std::int32_t i) -> std::int64_t& { return registers_[ValueId(i)]; };
  const std::int64_t count = at(loop.aux), size = at(loop.b) - at(loop.a);
  std::int64_t point = count;
  if (code_.order) {
    // Identifies the loop by its register relative to the registers of values: the numbers of
    // values change with debug statements, and the registers of loops come after them.
    const auto values = static_cast<std::int64_t>(machine_.program().values.size());
    std::uint64_t key = *code_.order;
    for (const std::int64_t part :
         {loop.aux - values, std::int64_t{index_.index}, at(loop.aux + 1)})
      key = SplitMix::mix(key ^ static_cast<std::uint64_t>(part));
    point = permuted(count, size, key);
  }
  at(loop.dst) = at(loop.a) + point;
}

void Core::emit_point(const Instruction& loop) {
  emit_points(loop, EventKind::point, registers_[ValueId(loop.dst)]);
}

void Core::enter_point(const Instruction& loop) {
  choose_point(loop);
  emit_point(loop);
}

// A core with loop workers has reached an iteration of this loop, or of a loop inside it. True if
// the iteration is for a loop worker, which then emits the event.
bool Core::reach_point(const Instruction& loop) {
  choose_point(loop);
  has_point_ = loop.is_dealt;
  if (!has_point_) emit_point(loop);
  return has_point_;
}

void Core::leave_points(const Instruction& loop) { emit_points(loop, EventKind::points_end, 0); }

void Core::emit_points(const Instruction& loop, EventKind kind, std::int64_t point) {
  if (!machine_.observes()) return;
  Event event{.kind = kind, .agent = id_, .amount = point};
  event.statement = machine_.program().value(ValueId(loop.dst)).statement;
  event.index = kind == EventKind::point ? events_++ : events_;
  event.agent_step = steps_;
  machine_.emit(event);
}

StmtId Core::dealt_loop() const { return machine_.program().value(ValueId(dealt_->dst)).statement; }

void Core::begin_fork() {
  is_free_ = true;
  std::fill(cells_.begin(), cells_.end(), Cells{});
}

// Takes the current iteration of the core, which then advances to its next iteration.
void Core::take_point_of(Core& core) {
  registers_ = core.registers_;
  undefined_ = core.undefined_;
  pc_ = core.pc_;
  point_end_ = core.dealt_end_;
  is_free_ = false;
  emit_point(*core.dealt_);
  core.has_point_ = false;
  core.pc_ = core.dealt_end_;
  core.run(0, false);
}

void Core::end_fork() {
  leave_points(code_.instructions[fork_end_]);
  dealt_ = nullptr;
}

}  // namespace tessera
