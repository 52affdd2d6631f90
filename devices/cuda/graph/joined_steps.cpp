#include "devices/cuda/graph/joined_steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::cuda {

void join_steps(std::vector<StepDraft>& steps, std::size_t most) {
  if (steps.size() <= most) return;
  std::vector<std::size_t> depth(steps.size(), 0);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (const std::size_t before : steps[s].before)
      depth[s] = std::max(depth[s], depth[before] + 1);
  // Numbered by depth, so that each step follows its predecessors.
  std::map<std::pair<std::size_t, int>, std::size_t> numbers;
  for (std::size_t s = 0; s < steps.size(); ++s)
    numbers.try_emplace({depth[s], steps[s].device}, 0);
  std::size_t count = 0;
  for (auto& [key, number] : numbers) number = count++;
  std::vector<StepDraft> joined(count);
  std::vector<std::size_t> parts(count, 0);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::size_t number = numbers.at({depth[s], steps[s].device});
    StepDraft& into = joined[number];
    if (parts[number]++ == 0) {
      into.device = steps[s].device;
      into.node = steps[s].node;
      into.copy = steps[s].copy;
    } else {
      into.copy.reset();
    }
    into.uses_own |= steps[s].uses_own;
    into.subtasks.insert(into.subtasks.end(), std::make_move_iterator(steps[s].subtasks.begin()),
                         std::make_move_iterator(steps[s].subtasks.end()));
    for (const std::size_t before : steps[s].before)
      into.before.insert(numbers.at({depth[before], steps[before].device}));
  }
  steps = std::move(joined);
}

}  // namespace tessera::cuda
