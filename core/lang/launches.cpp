#include "core/lang/launches.h"

#include <algorithm>

#include "core/passes/automatic_barrier.h"

namespace tessera {

void Launches::begin(const ast::Kernel& kernel, const Program& one_call) {
  Program& program = builder_.program();
  builder_.at(kernel.loc);
  program.call_place = builder_.place();
  const ValueId call =
      builder_.emit(For{builder_.integer(0), builder_.integer(how_.calls), 0}, "call");
  std::vector<ValueId> own;
  for (Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::tile || buffer.scoped) continue;
    if (how_.keeps_scratch) continue;
    buffer.scoped = true;
    own.push_back(buffer.value);
  }
  for (Semaphore& semaphore : program.semaphores) {
    if (semaphore.kind == SemKind::barrier || semaphore.scoped) continue;
    semaphore.scoped = true;
    own.push_back(semaphore.value);
    semaphores_.push_back(semaphore.value);
  }
  for (const ValueId ref : own) scoped_.allocate(ref);
  if (needs_barrier(one_call)) emit_barrier(builder_, one_call, call);
}

// Where a launch ends, the counts of scoped semaphores are zero as well, and signals for the next
// one do not come before.
void Launches::end() {
  builder_.at_place(builder_.program().call_place);
  scoped_.free_from(0);
  std::vector<ValueId> others;
  for (const Semaphore& semaphore : builder_.program().semaphores) {
    if (semaphore.scoped && semaphore.kind != SemKind::barrier &&
        std::find(semaphores_.begin(), semaphores_.end(), semaphore.value) == semaphores_.end())
      others.push_back(semaphore.value);
  }
  for (const ValueId semaphore : others) {
    builder_.emit(Alloc{builder_.whole(semaphore)});
    builder_.emit(Free{builder_.whole(semaphore)});
  }
  builder_.emit(End{});
}

}  // namespace tessera
