// A list for each index, one behind the other in memory: records have thousands of short ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

template <typename T>
class Lists {
 public:
  Lists() = default;
  // Each pair is an index and an entry of its list, in the order that the list will have.
  Lists(std::size_t size, const std::vector<std::pair<std::int32_t, T>>& pairs)
      : begin_(size + 1), entries_(pairs.size()) {
    for (const auto& [index, entry] : pairs) ++begin_[static_cast<std::size_t>(index) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [index, entry] : pairs)
      entries_[next[static_cast<std::size_t>(index)]++] = entry;
  }
  // Where the list of an index begins among all entries.
  std::size_t begin(std::int32_t index) const { return begin_[static_cast<std::size_t>(index)]; }
  std::span<const T> all() const { return entries_; }
  std::span<const T> of(std::int32_t index) const {
    const auto i = static_cast<std::size_t>(index);
    return {entries_.data() + begin_[i], entries_.data() + begin_[i + 1]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<T> entries_;
};

}  // namespace tessera
