// Who can signal a semaphore, read from the program text: for reports on cores that wait in vain.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/machine/nesting.h"

namespace tessera {

// A statement of one core that signals a certain semaphore, as far as the text tells.
struct Signaller {
  StmtId statement;
  CoreIndex core{};
  std::int64_t executed = 0;  // how often it signalled this semaphore
  std::optional<std::int64_t>
      expected;           // how often it runs in all; nothing when the text does not tell
  bool is_ahead = false;  // its core has not finished and can still get there
  bool is_known = false;  // to signal this semaphore: what it names is not computed from memory
};

class Signallers {
 public:
  explicit Signallers(Machine& machine);
  std::vector<Signaller> of(const SemId& sem) const;
  // Whether the core that owns it can still come to a wait on it.
  bool may_take(const SemId& sem) const;

 private:
  Machine& machine_;
  Nesting nesting_;
  std::vector<StmtId> statements_;  // that signal anything
};

}  // namespace tessera
