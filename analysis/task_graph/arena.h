// Memory for data with the lifetime of a graph: allocated in small parts, freed all at once.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace tessera::graph {

// Not thread-safe.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns uninitialised memory for `count` elements. Stays valid until the arena is destroyed.
  // Throws std::bad_alloc if there is no memory.
  template <typename T>
  T* take(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignment);
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  std::int64_t bytes() const { return bytes_; }  // size of all chunks

 private:
  static constexpr std::size_t alignment = 8;

  void* take_bytes(std::size_t bytes);
  void add_chunk(std::size_t at_least);

  std::vector<std::unique_ptr<std::byte, void (*)(void*)>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::int64_t bytes_ = 0;
};

// A list whose elements are in an arena, which must outlive it. Copies of a list share its
// elements, so at most one copy may be extended; copy() returns an independent list.
template <typename T>
class ArenaList {
 public:
  using value_type = T;

  // Makes room for at least `count` elements in total; existing elements are kept.
  void reserve(Arena& arena, std::size_t count) {
    if (count <= capacity_) return;
    T* const larger = arena.take<T>(count);
    std::uninitialized_copy_n(data_, size_, larger);
    data_ = larger;
    capacity_ = static_cast<std::uint32_t>(count);
  }
  void push_back(Arena& arena, const T& value) {
    if (size_ == capacity_) reserve(arena, 2 * static_cast<std::size_t>(capacity_) + 2);
    std::construct_at(data_ + size_++, value);
  }
  // Appends `count` uninitialised elements and returns the first of them. Stays valid until the
  // list grows again.
  T* extend(Arena& arena, std::size_t count) {
    if (size_ + count > capacity_) reserve(arena, 2 * static_cast<std::size_t>(capacity_) + count);
    T* const added = data_ + size_;
    size_ += static_cast<std::uint32_t>(count);
    return added;
  }
  // Returns a list that shares no elements with this one.
  ArenaList copy(Arena& arena) const { return of(arena, {begin(), end()}); }
  static ArenaList of(Arena& arena, std::span<const T> elements) {
    ArenaList result;
    result.reserve(arena, elements.size());
    std::uninitialized_copy_n(elements.begin(), elements.size(), result.data_);
    result.size_ = static_cast<std::uint32_t>(elements.size());
    return result;
  }

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  bool operator==(const ArenaList& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0, capacity_ = 0;
};

}  // namespace tessera::graph
