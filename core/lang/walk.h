// Traversal of a syntax tree in source order.
#pragma once
#include "core/lang/ast.h"

namespace tessera::ast {

// Callbacks for the nodes; each is called before the callbacks for its children, leave() after
// them.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void meet(const Expression&) {}
  virtual void meet(const Statement&) {}
  virtual void meet(const Definition&) {}  // statement, or entry of `return`
  virtual void meet(const Declaration&) {}
  virtual void meet(const Parameter&) {}
  virtual void enter(const Block&) {}
  virtual void leave(const Block&) {}
};

// Visit all nodes below the root, depth first; an expression is visited, too.
void walk(const Expression& expression, Visitor& visitor);
void walk(const Kernel& kernel, Visitor& visitor);
void walk(const Function& function, Visitor& visitor);

}  // namespace tessera::ast
