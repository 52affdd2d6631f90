// State of a run between two steps, as values: positions of cores, semaphore counts, copies in
// flight and memory contents.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "interp/machine/machine.h"
#include "interp/memory/elements.h"

namespace tessera {

enum class CoreStatus : std::uint8_t { ready, waits, finished };

// State of a core, and its next statement.
struct Standing {
  AgentId agent{};
  CoreStatus status = CoreStatus::ready;
  StmtId statement;  // none if finished
  LoopIndices loops{};
  std::string semaphore{};           // waits: the semaphore,
  std::int64_t need = 0, count = 0;  // the count it waits for, and the current count
};
// Returns the state of a core. A loop worker without an iteration is `finished`.
Standing standing(Machine& machine, CoreIndex core);

// Returns the loop indices around the statement of the agent's next step; for a copy: around its
// start. Empty for a copy that is not in flight.
LoopIndices loops_around(Machine& machine, const AgentId& agent, StmtId statement);

// A copy that was started and has not completed.
struct CopyInFlight {
  AgentId agent{};
  StmtId statement;                    // its start
  std::string source, target;          // "dev0 a[0 .. 8]"
  std::int64_t bytes = 0;              // total size
  std::int64_t read = 0, written = 0;  // bytes so far
};
// Returns all copies in flight, in start order.
std::vector<CopyInFlight> copies_in_flight(Machine& machine);

// A semaphore of a core that is not zero or has a waiting core.
struct SemaphoreCount {
  SemId sem{};
  std::int64_t count = 0;
  CoreIndex waiter{};  // core that waits for it, or none
};
// Returns all semaphores that are not zero or have a waiting core, sorted by core, semaphore and
// cell.
std::vector<SemaphoreCount> semaphore_counts(Machine& machine);

// Return the first buffer or semaphore with this name; nullopt if there is none or the name is
// empty.
std::optional<BufferId> find_buffer(const Program& program, std::string_view name);
std::optional<SemaphoreId> find_semaphore(const Program& program, std::string_view name);
// Returns the core that owns the instance of the buffer that `core` accesses.
CoreIndex owner_of(Machine& machine, CoreIndex core, BufferId buffer);

// Returns a copy of a rectangle, without the dropped dimensions. Undefined elements have the bytes
// that are stored. Requires a storage that is live and has bytes (check_held()), and a box within
// it.
Tensor tensor_of(Storage& storage, const Box& box);

// Value of a variable of the source.
struct NamedScalar {
  bool is_real = false;
  std::int64_t integer = 0;  // valid if !is_real
  float real = 0;            // valid if is_real
  bool is_defined = true;    // false: computed from a scalar that was read out of bounds
};
// Returns the current value of an integer or float variable of the source on a core, or of an
// integer parameter. If several have the name: the last definition in the program up to the core's
// current statement, even if the core has skipped it; for a finished core, the last one. nullopt if
// there is none.
std::optional<NamedScalar> find_scalar(Machine& machine, CoreIndex core, std::string_view name);

// Returns a hash of the state: cores, semaphores, copies in flight, the defined elements of all
// stored memories and their values, and the events so far. Equal states have equal hashes.
std::uint64_t state_hash(Machine& machine);

}  // namespace tessera
