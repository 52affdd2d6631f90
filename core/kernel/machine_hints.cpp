#include "core/kernel/machine_hints.h"

#include <fmt/format.h>

namespace tessera {

std::string hints_text(const MachineHints& hints) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  if (hints.pairing != Pairing::none) add(fmt::format("pairs along the {}", name(hints.pairing)));
  if (hints.alternate) add("consumers in turn");
  if (hints.dynamic) add("tiles as blocks are free");
  if (hints.band != MachineHints{}.band) add(fmt::format("bands of {}", hints.band));
  if (hints.left != Eviction::normal) add(fmt::format("left evicted {}", name(hints.left)));
  if (hints.right != Eviction::normal) add(fmt::format("right evicted {}", name(hints.right)));
  return text;
}

}  // namespace tessera
