#include "interp/machine/nesting.h"

namespace tessera {

Nesting::Nesting(const Program& program) {
  StmtId innermost;
  for (const StmtId i : program.body.ids()) {
    const Scope scope = info(program.body[i].op).scope;
    if (scope == Scope::close) innermost = parent_[innermost];
    parent_.add(innermost);
    if (scope == Scope::open) innermost = i;
  }
}

std::vector<StmtId> Nesting::around(StmtId statement) const {
  std::vector<StmtId> regions;
  if (!parent_.has(statement)) return regions;
  for (StmtId at = parent_[statement]; at; at = parent_[at]) regions.push_back(at);
  return regions;
}

}  // namespace tessera
