#include "core/lang/names.h"

#include <fmt/format.h>

namespace tessera {

void Names::bind(const std::string& name, Entity entity, const Loc& loc) {
  if (const Entity* known = find(name)) {
    if (known->kind != Entity::Kind::nothing)
      draft_.fail(loc, fmt::format("`{}` is already defined; a name keeps its value", name));
    return;
  }
  set(name, std::move(entity));
}

}  // namespace tessera
