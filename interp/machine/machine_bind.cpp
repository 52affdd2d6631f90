// Memories of the cores before the first step.
#include "interp/machine/idle.h"
#include "interp/machine/machine.h"

namespace tessera {

void Machine::bind(const std::vector<Binding>& bindings) {
  const Checks checks = options_.checks.enabled ? Checks::on : Checks::off;
  // With checks and arithmetic, undefined elements are poisoned before they are read.
  const Contents others = options_.math == Math::none ? Contents::kept
                          : options_.checks.enabled   ? Contents::plain
                                                      : Contents::zeroed;
  const Table<BufferId, bool> idle = idle_buffers(program_, options_);
  for (const CoreIndex s : topology_.core_ids()) {
    CoreState& owner = core_state(s);
    const Binding& binding = bindings[static_cast<std::size_t>(topology_.device(s))];
    for (const BufferId b : program_.buffers.ids()) {
      const Buffer& buffer = program_.buffers[b];
      owner.lives.add(0);
      if (const CoreIndex other = topology_.owner(s, buffer.space); other != s) {
        owner.storages.add(core_state(other).storages[b]);
      } else if (buffer.role != Role::scratch) {
        Tensor& tensor = *binding.find(buffer.name)->second;
        owner.storages.add(std::make_shared<Storage>(buffer, tensor, checks,
                                                     idle[b] ? Contents::idle : Contents::zeroed));
      } else {
        const Contents contents = idle[b] ? Contents::idle : others;
        owner.storages.add(std::make_shared<Storage>(buffer, checks, contents));
        if (!buffer.scoped) owner.storages.back()->allocate(buffer.place);
      }
      if (!buffer.scoped) owner.usage.take(buffer.space, owner.storages.back()->bytes());
    }
    for (const Semaphore& semaphore : program_.semaphores)
      if (semaphore.kind != SemKind::barrier &&
          (!semaphore.scoped || !options_.machine.profile.shares_scoped_semaphores))
        owner.usage.take_semaphores(elements(semaphore.shape));
  }
}

}  // namespace tessera
