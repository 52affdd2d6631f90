// Statements that can signal a semaphore, derived from the program text; for reports on blocked
// cores.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/machine/nesting.h"

namespace tessera {

// A statement of one core that may signal a certain semaphore, as far as the program text shows.
struct Signaller {
  StmtId statement;
  CoreIndex core{};
  std::int64_t executed = 0;  // number of its signals to this semaphore so far
  // Total number of executions; nullopt if the text does not determine it.
  std::optional<std::int64_t> expected;
  bool is_ahead = false;  // its core has not finished and can still reach it
  // Its target is certainly this semaphore, because it does not depend on memory.
  bool is_known = false;
};

class Signallers {
 public:
  explicit Signallers(Machine& machine);  // machine: must outlive this object
  // Returns the signallers of the cell, in the order of the statements, also on cores that have
  // finished.
  std::vector<Signaller> of(const SemId& sem) const;
  // True if the core that owns the semaphore can still reach a wait on it.
  bool may_take(const SemId& sem) const;

 private:
  Machine& machine_;
  Nesting nesting_;
  std::vector<StmtId> statements_;  // all statements that signal
};

}  // namespace tessera
