// What a run holds between two steps, as values: where every core stands, counts, copies in flight
// and contents of memory.
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

// A core, and the statement that it has not done yet.
struct Standing {
  AgentId agent{};
  CoreStatus status = CoreStatus::ready;
  StmtId statement;  // none of one that is finished
  LoopIndices loops{};
  std::string semaphore{};           // waits: for which one,
  std::int64_t need = 0, count = 0;  // for how much, and how much there is
};
Standing standing(Machine& machine, CoreIndex core);

// Around the statement at which the agent takes its next step; of a copy: around its start.
LoopIndices loops_around(Machine& machine, const AgentId& agent, StmtId statement);

// A copy that was started and has not landed.
struct CopyInFlight {
  AgentId agent{};
  StmtId statement;                    // its start
  std::string source, target;          // "dev0 a[0 .. 8]"
  std::int64_t bytes = 0;              // in all
  std::int64_t read = 0, written = 0;  // of them
};
std::vector<CopyInFlight> copies_in_flight(Machine& machine);  // in the order of their starts

// A semaphore of a core that is not zero, or that somebody waits for.
struct SemaphoreCount {
  SemId sem{};
  std::int64_t count = 0;
  CoreIndex waiter{};  // none: nobody does
};
std::vector<SemaphoreCount> semaphore_counts(Machine& machine);

// The buffer or semaphore of that name; none: there is none.
std::optional<BufferId> find_buffer(const Program& program, std::string_view name);
std::optional<SemaphoreId> find_semaphore(const Program& program, std::string_view name);
// Where a buffer that a core of the device reaches is kept.
CoreIndex owner_of(Machine& machine, CoreIndex core, BufferId buffer);

// A rectangle of a live storage that holds bytes, as a tensor without the dimensions that the box
// drops; what is undefined as it lies.
Tensor tensor_of(Storage& storage, const Box& box);

// Value of an integer or a real of the source, as the core has it, or of an integer parameter. If
// several have the name, the last definition before the statement of the core. Empty: none has a
// value there.
struct NamedScalar {
  bool is_real = false;
  std::int64_t integer = 0;
  float real = 0;
  bool is_defined = true;  // false: computed from a scalar that was read out of bounds
};
std::optional<NamedScalar> find_scalar(Machine& machine, CoreIndex core, std::string_view name);

// A number that two states share when cores, semaphores, copies in flight, what is defined in every
// memory and its values are the same, and the events up to here are.
std::uint64_t state_hash(Machine& machine);

}  // namespace tessera
