#include "kernels/tuning/selection.h"

namespace tessera {

std::string_view name(ConfigSource source) {
  constexpr std::array<std::string_view, 6> names = {"override",   "overlay",  "memory",
                                                     "persistent", "autotune", "heuristics"};
  return names[static_cast<std::size_t>(source)];
}

}  // namespace tessera
