// Vector whose resize() does not initialise new entries, so that the system allocates their memory
// page by page when they are written. Each entry must be written before it is read.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

template <typename T>
class UntouchedAllocator : public std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T>, "an entry begins to live when it is assigned");

 public:
  template <typename Other>
  struct rebind {
    using other = UntouchedAllocator<Other>;
  };
  using std::allocator<T>::allocator;

  void construct(T*) noexcept {}
  template <typename... Arguments>
  void construct(T* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

template <typename T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace tessera
