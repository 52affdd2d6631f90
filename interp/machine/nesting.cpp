#include "interp/machine/nesting.h"

namespace tessera {

Nesting::Nesting(const Program& program) {
  std::int32_t innermost = -1;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(program.body.size()); ++i) {
    const Scope scope = info(program.body[static_cast<std::size_t>(i)].op).scope;
    if (scope == Scope::close) innermost = parent_[static_cast<std::size_t>(innermost)];
    parent_.push_back(innermost);
    if (scope == Scope::open) innermost = i;
  }
}

std::vector<std::int32_t> Nesting::around(std::int32_t statement) const {
  std::vector<std::int32_t> regions;
  if (static_cast<std::size_t>(statement) >= parent_.size()) return regions;
  for (std::int32_t at = parent_[static_cast<std::size_t>(statement)]; at >= 0;
       at = parent_[static_cast<std::size_t>(at)])
    regions.push_back(at);
  return regions;
}

}  // namespace tessera
