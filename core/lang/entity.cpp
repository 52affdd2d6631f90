#include "core/lang/entity.h"

namespace tessera {

const Entity* Environment::find(std::string_view name) const {
  for (const Environment* e = this; e; e = e->parent)
    if (const auto it = e->names.find(name); it != e->names.end()) return &it->second;
  for (const Environment* e = this; e; e = e->parent)
    if (e->fallback)
      if (const auto it = e->fallback->names.find(name); it != e->fallback->names.end())
        return &it->second;
  return nullptr;
}

}  // namespace tessera
