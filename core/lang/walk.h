// Everything that stands in a part of a syntax tree, in the order of the text.
#pragma once
#include "core/lang/ast.h"

namespace tessera::ast {

// What is done with what is met: each is called before what stands in it.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void meet(const Expression&) {}
  virtual void meet(const Statement&) {}
  virtual void meet(const Definition&) {}  // a statement, or an entry of `return`
  virtual void meet(const Declaration&) {}
  virtual void meet(const Parameter&) {}
  virtual void enter(const Block&) {}
  virtual void leave(const Block&) {}
};

void walk(const Expression& expression, Visitor& visitor);
void walk(const Kernel& kernel, Visitor& visitor);
void walk(const Function& function, Visitor& visitor);

}  // namespace tessera::ast
