// Memory and semaphores that exist from their declaration to the end of the block or function.
#pragma once
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class ScopedMemory {
 public:
  explicit ScopedMemory(Draft& draft) : builder_(draft.builder()) {}

  void allocate(ValueId ref);
  std::size_t size() const { return allocated_.size(); }
  // Frees what was allocated since there were `count`, last first.
  void free_from(std::size_t count);

 private:
  Builder& builder_;
  std::vector<ValueId> allocated_;  // and not yet freed
};

// Names live to the end of the block; what was allocated in it is freed there.
class BlockScope {
 public:
  BlockScope(Names& names, ScopedMemory& memory)
      : inside_(names, names.make(names.current())), memory_(memory), count_(memory.size()) {}
  ~BlockScope() { memory_.free_from(count_); }
  BlockScope(const BlockScope&) = delete;
  BlockScope& operator=(const BlockScope&) = delete;

 private:
  Names::Inside inside_;
  ScopedMemory& memory_;
  std::size_t count_;
};

}  // namespace tessera
