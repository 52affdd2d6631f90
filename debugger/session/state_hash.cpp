#include <cstddef>
#include <cstring>
#include <vector>

#include "debugger/session/inspect.h"
#include "interp/observe/content_hash.h"

namespace tessera {
namespace {

void mix_core(ContentHash& hash, Machine& machine, const CoreState& state) {
  const Core& core = state.core;
  for (const std::int64_t word : core.registers()) hash.mix(static_cast<std::uint64_t>(word));
  hash.mix(static_cast<std::uint64_t>(core.steps()));
  hash.mix(static_cast<std::uint64_t>(core.ops()));
  hash.mix(static_cast<std::uint64_t>(core.copies()));
  hash.mix(static_cast<std::uint64_t>(core.is_finished()) |
           static_cast<std::uint64_t>(core.is_blocked()) << 1);
  if (!core.is_finished() && !core.is_free())
    hash.mix(static_cast<std::uint64_t>(core.statement().index));
  if (core.is_blocked()) hash.mix(static_cast<std::uint64_t>(machine.cell(core.need().sem).count));
}

void mix_memory(ContentHash& hash, Storage& storage) {
  hash.mix(storage.is_live());
  if (!storage.is_live()) return;
  for (const Element& element : elements_of(storage, storage.whole())) {
    std::uint32_t real = 0;
    std::memcpy(&real, &element.real, sizeof(real));
    hash.mix(element.is_defined);
    hash.mix(static_cast<std::uint64_t>(element.integer) ^ real);
  }
}

}  // namespace

std::uint64_t state_hash(Machine& machine) {
  ContentHash hash;
  hash.mix(static_cast<std::uint64_t>(machine.steps()));
  hash.mix(machine.trace_hash());
  for (const CoreIndex core_index : machine.topology().ids()) {
    CoreState& state = machine.core_state(core_index);
    mix_core(hash, machine, state);
    for (const auto& storage : state.storages)
      if (!storage->is_idle()) mix_memory(hash, *storage);
  }
  for (const SemaphoreCount& count : semaphore_counts(machine)) {
    hash.mix(static_cast<std::uint64_t>(count.sem.cell));
    hash.mix(static_cast<std::uint64_t>(count.count));
    hash.mix(static_cast<std::uint64_t>(count.waiter.index));
  }
  for (const CopyInFlight& copy : copies_in_flight(machine)) {
    hash.mix(text_hash(copy.source + copy.target));
    hash.mix(static_cast<std::uint64_t>(copy.read));
    hash.mix(static_cast<std::uint64_t>(copy.written));
  }
  return hash.value();
}

}  // namespace tessera
