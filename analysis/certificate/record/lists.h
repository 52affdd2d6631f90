// A list per id, stored contiguously: records have thousands of short lists.
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
  // size: number of ids. pairs: id (below `size`) and entry, in list order.
  Lists(std::size_t size, const std::vector<std::pair<Key, T>>& pairs)
      : begin_(size + 1), entries_(pairs.size()) {
    for (const auto& [id, entry] : pairs) ++begin_[id + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    Table<Key, std::size_t> next = begin_;
    for (const auto& [id, entry] : pairs) entries_[next[id]++] = entry;
  }
  // Index in all() of the first entry of a list.
  std::size_t begin(Key id) const { return begin_[id]; }
  std::span<const T> all() const { return entries_; }
  std::span<const T> of(Key id) const {
    return {entries_.data() + begin_[id], entries_.data() + begin_[id + 1]};
  }

 private:
  Table<Key, std::size_t> begin_;  // and the end of the last list
  std::vector<T> entries_;
};

}  // namespace tessera
