#include "debugger/session/inspect.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

std::string region_name(Machine& machine, const Region& region) {
  const Space space = machine.program().buffers[region.buffer].space;
  return machine.topology().name(region.core, space) + " " +
         slice_text(machine.program(), region.buffer, region.box);
}

template <typename Entries, typename Id>
std::optional<Id> find_named(const Entries& entries, std::string_view name) {
  if (name.empty()) return {};  // names may be empty
  for (const Id id : entries.ids())
    if (entries[id].name == name) return id;
  return {};
}

}  // namespace

Standing standing(Machine& machine, CoreIndex core_index) {
  const Core& core = machine.core_state(core_index).core;
  Standing stands{.agent = core.id()};
  if (core.is_finished() || core.is_free()) {
    stands.status = CoreStatus::finished;
    return stands;
  }
  stands.statement = core.statement();
  stands.loops = machine.loops_of(core.id(), stands.statement);
  if (!core.is_blocked()) return stands;
  const SemId& sem = core.need().sem;
  stands.status = CoreStatus::waits;
  stands.semaphore = cell_text(machine.program(), sem.semaphore, sem.cell);
  stands.need = core.need().count;
  stands.count = machine.cell(sem).count;
  return stands;
}

LoopIndices loops_around(Machine& machine, const AgentId& agent, StmtId statement) {
  if (!agent.is_copy()) return machine.loops_of(agent, statement);
  for (const std::int32_t slot : machine.copies().slots())
    if (const Copy& copy = machine.copies().at(slot); copy.id == agent)
      return loop_indices(machine.program(), statement, copy.loops);
  return {};
}

std::vector<CopyInFlight> copies_in_flight(Machine& machine) {
  std::vector<CopyInFlight> all;
  for (const std::int32_t slot : machine.copies().slots()) {
    const Copy& copy = machine.copies().at(slot);
    all.push_back(
        {.agent = copy.id,
         .statement = copy.statement,
         .source = region_name(machine, copy.src),
         .target = region_name(machine, copy.dst),
         .bytes = copy.bytes,
         .read = copy.is_partial() ? copy.counted(copy.read) : copy.read * copy.bytes,
         .written = copy.is_partial() ? copy.counted(copy.written) : copy.written * copy.bytes});
  }
  return all;
}

std::vector<SemaphoreCount> semaphore_counts(Machine& machine) {
  const Program& program = machine.program();
  std::vector<SemaphoreCount> all;
  for (const CoreIndex core_index : machine.topology().core_ids()) {
    const Semaphores& owner = machine.core_state(core_index).semaphores;
    for (const SemaphoreId semaphore : program.semaphores.ids()) {
      if (!owner.is_first(semaphore)) continue;
      for (std::int64_t cell = owner.used(semaphore, 0); cell >= 0;
           cell = owner.used(semaphore, cell + 1)) {
        const SemId sem{core_index, semaphore, cell};
        const SemCell& now = machine.cell(sem);
        if (now.count == 0 && !now.waiter) continue;
        all.push_back({sem, now.count, now.waiter});
      }
    }
  }
  return all;
}

std::optional<BufferId> find_buffer(const Program& program, std::string_view name) {
  return find_named<Table<BufferId, Buffer>, BufferId>(program.buffers, name);
}

std::optional<SemaphoreId> find_semaphore(const Program& program, std::string_view name) {
  return find_named<Table<SemaphoreId, Semaphore>, SemaphoreId>(program.semaphores, name);
}

CoreIndex owner_of(Machine& machine, CoreIndex core, BufferId buffer) {
  return machine.topology().owner(core, machine.program().buffers[buffer].space);
}

Tensor tensor_of(Storage& storage, const Box& box) {
  Shape shape;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) shape.push_back(box.size[Box::at(d)]);
  Tensor tensor(storage.buffer().dtype, std::move(shape));
  const TileView view = storage.read(box);
  copy_elements(compact(tensor.data(), view), view);
  return tensor;
}

namespace {

// Finds an integer parameter of the kernel.
std::optional<NamedScalar> find_parameter(const Program& program, std::string_view name) {
  for (const Setting& setting : program.settings) {
    std::int64_t integer = 0;
    const char* const end = setting.value.data() + setting.value.size();
    const auto [rest, failed] = std::from_chars(setting.value.data(), end, integer);
    if (setting.name == name && failed == std::errc() && rest == end)
      return NamedScalar{false, integer, 0};
  }
  return {};
}

}  // namespace

std::optional<NamedScalar> find_scalar(Machine& machine, CoreIndex core_index,
                                       std::string_view name) {
  if (name.empty()) return {};  // values may be unnamed
  const Program& program = machine.program();
  const Core& core = machine.core_state(core_index).core;
  const StmtId here = core.is_finished() || core.is_free() ? program.body.next() : core.statement();
  std::optional<ValueId> best;
  for (const ValueId id : program.values.ids()) {
    const Value& value = program.values[id];
    const bool is_number = value.kind == ValueKind::scalar || value.kind == ValueKind::real;
    if (is_number && value.name == name && value.statement <= here) best = id;
  }
  if (!best) return find_parameter(program, name);
  const std::int64_t bits = core.registers()[static_cast<std::size_t>(best->index)];
  const bool is_real = program.values[*best].kind == ValueKind::real;
  return NamedScalar{is_real, bits, is_real ? real_register(bits) : 0.0F,
                     !core.is_undefined(*best)};
}

}  // namespace tessera
