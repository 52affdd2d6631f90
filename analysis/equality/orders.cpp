#include "analysis/equality/orders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::fields {

Residue Comparisons::root_of(Kind& kind, Residue value) {
  Residue root = value;
  while (kind.parents.at(root) != root) root = kind.parents.at(root);
  while (value != root) value = std::exchange(kind.parents.at(value), root);
  return root;
}

void Comparisons::note(bool is_max, Residue a, Residue b) {
  ++count_;
  if (is_truncated()) return;
  Kind& kind = is_max ? maxima_ : minima_;
  const bool is_constant[] = {constants_.contains(a), constants_.contains(b)};
  const Residue values[] = {a, b};
  for (const int side : {0, 1}) {
    if (is_constant[side])
      met_.insert(values[side]);
    else
      kind.parents.try_emplace(values[side], values[side]);
    if (!is_constant[side] && is_constant[1 - side]) kind.beside_constant.insert(values[side]);
  }
  if (!is_constant[0] && !is_constant[1]) kind.parents.at(root_of(kind, a)) = root_of(kind, b);
}

std::vector<Residue> Comparisons::values() const {
  std::vector<Residue> all;
  for (const Kind* const kind : {&maxima_, &minima_})
    for (const auto& [value, parent] : kind->parents) all.push_back(value);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool Comparisons::has_all(bool is_max, std::span<const Residue> operands) const {
  const Kind& kind = is_max ? maxima_ : minima_;
  return std::all_of(operands.begin(), operands.end(),
                     [&](Residue operand) { return kind.parents.contains(operand); });
}

std::vector<Comparisons::Group> Comparisons::groups(bool is_max) const {
  Kind kind = is_max ? maxima_ : minima_;
  std::map<Residue, Group> by_root;
  for (const auto& [value, parent] : kind.parents) {
    Group& group = by_root[root_of(kind, value)];
    group.operands.push_back(value);
    group.has_constant = group.has_constant || kind.beside_constant.contains(value);
  }
  std::vector<Group> all;
  for (auto& [root, group] : by_root) {
    group.is_of_max = is_max;
    std::sort(group.operands.begin(), group.operands.end());
    if (group.size() > 1) all.push_back(std::move(group));
  }
  return all;
}

Levels levels_without_constants(bool is_max, const std::unordered_set<Residue>& constants) {
  Levels levels;
  for (const Residue constant : constants) levels.emplace(constant, is_max ? -1 : 1);
  return levels;
}

std::size_t orders_of(std::span<const Comparisons::Group> groups) {
  std::size_t most = 0;
  for (const Comparisons::Group& group : groups) most = std::max(most, group.size());
  return most;
}

void set_winners(std::span<const Comparisons::Group> groups, std::size_t order, Levels& levels) {
  for (const Comparisons::Group& group : groups) {
    const int best = group.is_of_max ? 1 : -1;
    const std::uint64_t phase = SplitMix::mix(group.operands.front());
    const std::size_t winner = (order + phase % group.size()) % group.size();
    if (winner < group.operands.size()) {
      levels[group.operands[winner]] = best;
      continue;
    }
    for (const Residue operand : group.operands) levels[operand] = -2 * best;
  }
}

}  // namespace tessera::fields
