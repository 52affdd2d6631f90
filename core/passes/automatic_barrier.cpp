#include "core/passes/automatic_barrier.h"

#include <algorithm>

namespace tessera {
namespace {

bool reaches_others(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(), [&](const Stmt& s) {
    if (std::holds_alternative<StartRemote>(s.op)) return true;
    const auto* signal = std::get_if<Signal>(&s.op);
    if (signal == nullptr) return false;
    if (signal->core.id != no_value) return true;
    const StmtId at = program.value(signal->device).statement;
    return !at || !std::holds_alternative<DeviceId>(program.body[at].op);
  });
}

// A program that accesses other devices without naming a core runs only with one core per device.
bool names_cores(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(), [](const Stmt& s) {
    const auto* signal = std::get_if<Signal>(&s.op);
    const auto* remote = std::get_if<StartRemote>(&s.op);
    return (signal != nullptr && signal->core.id != no_value) ||
           (remote != nullptr && remote->core.id != no_value);
  });
}

}  // namespace

bool needs_barrier(const Program& program) {
  const bool has_barrier =
      std::any_of(program.semaphores.begin(), program.semaphores.end(),
                  [](const Semaphore& s) { return s.kind == SemKind::barrier; });
  return !has_barrier && reaches_others(program);
}

namespace {

// One round: every core signals all cores and waits for as many signals.
void emit_round(Builder& builder, std::int64_t id, bool has_cores) {
  Semaphore barrier;
  barrier.name = "automatic_barrier";
  barrier.kind = SemKind::barrier;
  barrier.collective = id;
  const Slice sem = builder.whole(builder.semaphore(std::move(barrier)));
  const ValueId devices = builder.emit(DeviceCount{}, "all");
  const ValueId cores = has_cores ? builder.emit(CoreCount{}, "of_each") : no_value;
  const ValueId d = builder.emit(For{builder.integer(0), devices, 0}, "d");
  if (has_cores) {
    const ValueId c = builder.emit(For{builder.integer(0), cores, 0}, "c");
    builder.emit(Signal{sem, d, builder.integer(1), {c}});
    builder.emit(End{});
  } else {
    builder.emit(Signal{sem, d, builder.integer(1)});
  }
  builder.emit(End{});
  builder.emit(Wait{sem, has_cores ? builder.mul(devices, cores) : devices});
}

}  // namespace

void emit_barrier(Builder& builder, const Program& program, ValueId call) {
  const bool has_cores = names_cores(program);
  if (call == no_value) return emit_round(builder, -1, has_cores);
  // Launches alternate between two barriers: a core that is one launch ahead may signal before
  // other cores have waited.
  builder.emit(If{builder.emit(Mod{call, builder.integer(2)})});
  emit_round(builder, -2, has_cores);
  builder.emit(Else{});
  emit_round(builder, -1, has_cores);
  builder.emit(End{});
}

}  // namespace tessera
