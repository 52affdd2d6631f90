// Compact lists of memory accesses: a graph contains many millions of accesses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "analysis/task_graph/arena.h"
#include "analysis/task_graph/instances.h"
#include "interp/memory/view.h"

namespace tessera::graph {

struct Rectangle {
  MemoryId memory{};
  Box box{};
};

// An access of an action or a side to a rectangle.
struct MemoryAccess {
  MemoryId memory{};
  bool reads = false, writes = false;
  Box box{};
};

// Accesses in the order in which they were added. Copies of a list share its elements, so at most
// one copy may be extended (copy() returns an independent list). An access takes one word of the
// arena and two words for each dimension; operator[] and set_memory() take linear time.
class AccessList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = MemoryAccess;
    using difference_type = std::ptrdiff_t;
    using pointer = const MemoryAccess*;
    using reference = MemoryAccess;

    Iterator() = default;
    explicit Iterator(const std::int64_t* at) : at_(at) {}
    MemoryAccess operator*() const;
    Iterator& operator++() {
      at_ += length(*at_);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const std::int64_t* at_ = nullptr;
  };

  static AccessList of(Arena& arena, std::span<const MemoryAccess> accesses);
  // Makes room for a number of accesses in total. dimensions: sum of the ranks of their boxes.
  void reserve(Arena& arena, std::size_t count, std::size_t dimensions) {
    words_.reserve(arena, count + 2 * dimensions);
  }
  void push_back(Arena& arena, const MemoryAccess& access);
  // Returns a list that shares no elements with this one.
  AccessList copy(Arena& arena) const;
  // Replaces the memory of each access by of(memory), also in lists that share the elements.
  template <typename Of>
  void rename(Of of) {
    for (std::size_t at = 0; at < words_.size(); at += length(words_[at]))
      set_memory(words_[at], of(memory(words_[at])));
  }
  // Replaces the memory of one access, also in lists that share it. which: its position, less than
  // size().
  void set_memory(std::size_t which, MemoryId memory);

  Iterator begin() const { return Iterator(words_.begin()); }
  Iterator end() const { return Iterator(words_.end()); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  MemoryAccess back() const { return *Iterator(&words_[last_]); }
  MemoryAccess operator[](std::size_t which) const;

 private:
  // First word of an access: memory, rank, dropped dimensions, and whether it reads and writes.
  static std::size_t length(std::int64_t word) {
    return 1 + 2 * static_cast<std::size_t>(word >> 32 & 0xFF);
  }
  static MemoryId memory(std::int64_t word) { return MemoryId(static_cast<std::int32_t>(word)); }
  static void set_memory(std::int64_t& word, MemoryId memory) {
    word = (word & ~std::int64_t{0xFFFFFFFF}) | static_cast<std::uint32_t>(memory.index);
  }

  ArenaList<std::int64_t> words_;
  std::uint32_t size_ = 0, last_ = 0;
};

}  // namespace tessera::graph
