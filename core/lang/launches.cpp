#include "core/lang/launches.h"

#include <algorithm>

#include "core/passes/automatic_barrier.h"

namespace tessera {

std::vector<ValueId> begin_launches(Elaboration& e, const ast::Kernel& kernel,
                                    const Program& one_call) {
  Program& program = e.program();
  e.builder.at(kernel.loc);
  program.call_place = e.builder.place();
  const ValueId call =
      e.builder.emit(For{e.builder.integer(0), e.builder.integer(e.launch.calls), 0}, "call");
  std::vector<ValueId> own, semaphores;
  for (Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::tile || buffer.scoped) continue;
    if (e.launch.keeps_scratch) continue;
    buffer.scoped = true;
    own.push_back(buffer.value);
  }
  for (Semaphore& semaphore : program.semaphores) {
    if (semaphore.kind == SemKind::barrier || semaphore.scoped) continue;
    semaphore.scoped = true;
    own.push_back(semaphore.value);
    semaphores.push_back(semaphore.value);
  }
  for (const ValueId ref : own) e.allocate(ref);
  if (needs_barrier(one_call)) emit_barrier(e.builder, one_call, call);
  return semaphores;
}

// At the end of a launch, the counts of scoped semaphores must be zero as well, and signals for the
// next launch must not arrive earlier.
void end_launches(Elaboration& e, const std::vector<ValueId>& semaphores) {
  e.builder.at_place(e.program().call_place);
  e.free_from(0);
  std::vector<ValueId> others;
  for (const Semaphore& semaphore : e.program().semaphores) {
    if (semaphore.scoped && semaphore.kind != SemKind::barrier &&
        std::find(semaphores.begin(), semaphores.end(), semaphore.value) == semaphores.end())
      others.push_back(semaphore.value);
  }
  for (const ValueId semaphore : others) {
    e.builder.emit(Alloc{e.builder.whole(semaphore)});
    e.builder.emit(Free{e.builder.whole(semaphore)});
  }
  e.builder.emit(End{});
}

}  // namespace tessera
