// List of chunks that frees its memory while it is drained. It grows without moving its entries,
// except in the first chunk.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "core/host/grown_array.h"
#include "core/host/host_memory.h"

namespace tessera {

template <typename T>
class Chunks {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / each][i % each]; }
  const T& operator[](std::size_t i) const { return chunks_[i / each][i % each]; }

  void push_back(const T& value) {
    if (size_ % each == 0) {
      chunks_.emplace_back();
      // The first chunk grows as needed, because most lists are short.
      if (size_ > 0) {
        chunks_.back().reserve(each);
        prefer_large_pages(chunks_.back().begin(), each * sizeof(T));
      }
    }
    chunks_.back().push_back(value);
    ++size_;
  }

  // Visits all entries in order and frees them. The list is empty afterwards.
  template <typename Visit>
  void drain(const Visit& visit) {
    for (GrownArray<T>& chunk : chunks_) {
      for (const T& value : chunk) visit(value);
      chunk = {};
    }
    chunks_.clear();
    size_ = 0;
  }

 private:
  // Entries per chunk. malloc maps a chunk of this size separately and returns it to the system.
  static constexpr std::size_t each = std::size_t{1} << 21;
  std::vector<GrownArray<T>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace tessera
