// Array that grows to a size that is not known in advance.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tessera {

// Like std::vector, for trivially copyable elements. A large array grows by remapping: the system
// appends pages or moves all pages to another address. Elements are not copied, and no page is
// faulted in twice.
template <typename T>
class GrownArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t));

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;

  // Constructors: empty; `size` elements T(); `size` copies of the value.
  GrownArray() = default;
  explicit GrownArray(std::size_t size) { resize(size); }
  GrownArray(std::size_t size, const T& value) { resize(size, value); }
  GrownArray(const GrownArray& other) {
    reserve(other.size_);
    size_ = other.size_;
    std::uninitialized_copy_n(other.data_.get(), size_, data_.get());
  }
  GrownArray(GrownArray&& other) noexcept { swap(other); }
  GrownArray& operator=(GrownArray other) noexcept {
    swap(other);
    return *this;
  }
  ~GrownArray() = default;

  void swap(GrownArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  // Makes room for `count` elements. Throws std::bad_alloc, like all functions that grow the array,
  // if there is not enough memory; the array is then unchanged. Growth invalidates pointers.
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    void* const larger = std::realloc(static_cast<void*>(data_.get()), count * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(larger));
    capacity_ = count;
  }
  // The value may be an element of this array.
  void push_back(const T& value) {
    const T added = value;
    if (size_ == capacity_) reserve(2 * capacity_ + 4);
    std::construct_at(end(), added);
    ++size_;
  }
  // Adds copies of the value, or removes elements from the end. The value must not be an element of
  // this array.
  void resize(std::size_t size) { resize(size, T()); }
  void resize(std::size_t size, const T& value) {
    reserve(size);
    for (; size_ < size; ++size_) std::construct_at(end(), value);
    size_ = size;
  }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T& back() { return data_.get()[size_ - 1]; }
  const T& back() const { return data_.get()[size_ - 1]; }
  T* begin() { return data_.get(); }
  T* end() { return data_.get() + size_; }
  const T* begin() const { return data_.get(); }
  const T* end() const { return data_.get() + size_; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(static_cast<void*>(data)); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace tessera
