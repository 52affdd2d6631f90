// A list for each id, one behind the other in memory: records have thousands of short ones.
#pragma once
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/program/id.h"

namespace tessera {

template <typename Key, typename T>
class Lists {
 public:
  Lists() = default;
  // size: of ids. Each pair is an id and an entry of its list, in the order that the list will
  // have.
  Lists(std::size_t size, const std::vector<std::pair<Key, T>>& pairs)
      : begin_(size + 1), entries_(pairs.size()) {
    for (const auto& [id, entry] : pairs) ++begin_[id + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    Table<Key, std::size_t> next = begin_;
    for (const auto& [id, entry] : pairs) entries_[next[id]++] = entry;
  }
  // Where the list of an id begins among all entries.
  std::size_t begin(Key id) const { return begin_[id]; }
  std::span<const T> all() const { return entries_; }
  std::span<const T> of(Key id) const {
    return {entries_.data() + begin_[id], entries_.data() + begin_[id + 1]};
  }

 private:
  Table<Key, std::size_t> begin_;  // and where the last one ends
  std::vector<T> entries_;
};

}  // namespace tessera
