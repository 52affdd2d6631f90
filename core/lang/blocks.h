// The blocks of a program, as statements ask that have blocks in them.
#pragma once
#include "core/lang/ast.h"

namespace tessera {

class Blocks {
 public:
  virtual ~Blocks() = default;

  // Emits the statements; what is wrong is reported.
  virtual void block(const ast::Block& node) = 0;
};

}  // namespace tessera
