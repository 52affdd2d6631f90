#pragma once
#include "core/lang/elaborate.h"

namespace tessera {

// Names live to the end of the block; what was allocated in it is freed there, last first.
class Elaborator::Block {
 public:
  explicit Block(Elaborator& elaborator)
      : elaborator_(elaborator), outer_(elaborator.scope_), scoped_(elaborator.scoped_.size()) {
    elaborator_.scope_ = elaborator_.environment(outer_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    elaborator_.free_scoped(scoped_);
    elaborator_.scope_ = outer_;
  }

 private:
  Elaborator& elaborator_;
  Environment* outer_;
  std::size_t scoped_;
};

}  // namespace tessera
