// Several launches of a kernel back to back, as one program.
#pragma once
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/language.h"
#include "core/lang/scoped_memory.h"

namespace tessera {

// The body runs several times, as that many launches one after the other would: scratch and
// semaphores are those of one launch, so that a peer which is one behind or ahead does not have
// them; operands, results and barriers remain.
class Launches {
 public:
  Launches(Draft& draft, ScopedMemory& scoped, const InstantiateOptions& how)
      : builder_(draft.builder()), scoped_(scoped), how_(how) {}

  // Around the body. one_call: what a single launch is.
  void begin(const ast::Kernel& kernel, const Program& one_call);
  void end();

 private:
  Builder& builder_;
  ScopedMemory& scoped_;
  const InstantiateOptions how_;
  std::vector<ValueId> semaphores_;  // that each launch begins with
};

}  // namespace tessera
