// Sequence of numbers with a search for the first number below a limit.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

class FirstBelow {
 public:
  FirstBelow() = default;
  explicit FirstBelow(std::vector<std::int64_t> numbers) {
    levels_.push_back(std::move(numbers));
    while (levels_.back().size() > fan) {
      const std::vector<std::int64_t>& below = levels_.back();
      std::vector<std::int64_t> least;
      for (std::size_t i = 0; i < below.size(); i += fan)
        least.push_back(*std::min_element(
            below.begin() + static_cast<std::ptrdiff_t>(i),
            below.begin() + static_cast<std::ptrdiff_t>(std::min(i + fan, below.size()))));
      levels_.push_back(std::move(least));
    }
  }

  // Index of the first number below `limit` from index `from` (included) on; the number of entries
  // if there is none.
  std::size_t find(std::size_t from, std::int64_t limit) const {
    std::size_t level = 0, i = from;
    while (level < levels_.size()) {
      const std::vector<std::int64_t>& numbers = levels_[level];
      const std::size_t end = std::min((i / fan + 1) * fan, numbers.size());
      while (i < end && numbers[i] >= limit) ++i;
      if (i < end && level == 0) return i;
      if (i < end) {  // search its group in the level below
        --level;
        i *= fan;
      } else {  // continue after the searched group
        ++level;
        i = (i + fan - 1) / fan;
      }
    }
    return levels_.empty() ? 0 : levels_[0].size();
  }

 private:
  static constexpr std::size_t fan = 16;
  // Each number is the minimum of `fan` numbers of the level below.
  std::vector<std::vector<std::int64_t>> levels_;
};

}  // namespace tessera
