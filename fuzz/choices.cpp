#include "fuzz/choices.h"

#include <vector>

#include "interp/schedule/strategies.h"

namespace tessera::fuzz {

std::string draw_schedule(Choices& choices) {
  std::vector<const Strategy*> drawn;
  for (const Strategy& strategy : strategies())
    if (!strategy.replays()) drawn.push_back(&strategy);
  if (choices.percent(33)) return schedule_text(*drawn.front(), 0);
  const auto last = static_cast<std::int64_t>(drawn.size()) - 1;
  const Strategy& strategy = *drawn[static_cast<std::size_t>(choices.between(0, last))];
  return schedule_text(strategy, static_cast<std::uint64_t>(choices.between(0, 9999)));
}

}  // namespace tessera::fuzz
