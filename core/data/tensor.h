// A dense row-major host array. Bytes are owned, 64-byte aligned and, unless said otherwise, zero.
#pragma once  // public
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dtype.h"
#include "core/report/expected.h"

namespace tessera {

// Extents in elements, outermost dimension first; empty: one element.
using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t largest_file_rank = 64;  // dimensions of a tensor in a file, at most

std::int64_t elements(const Shape& shape);  // their product; 1 for rank 0
std::string to_string(const Shape& shape);  // "(300, 64)", "(300,)", "()"
// Number of bytes of an array; none if a dimension is negative or the number overflows.
std::optional<std::int64_t> checked_bytes(DType dtype, const Shape& shape);

// Type, shape and elements. Moved freely, copied only by clone().
class Tensor {
 public:
  Tensor() = default;
  // Elements are zero; `uninitialised` leaves them unset. Throws InvalidValue if checked_bytes()
  // has none (core/report/invalid_value.h), and NoMemory if memory does not suffice
  // (core/host/host_memory.h). Public operations return both as errors.
  Tensor(DType dtype, Shape shape);
  static Tensor uninitialised(DType dtype, Shape shape);
  // A tensor that calls `make` at the first access to its elements, and never without one. `make`
  // gives a tensor of this type and shape; it is called once, whichever thread comes first.
  static Tensor deferred(DType dtype, Shape shape, std::function<Tensor()> make);
  // The elements are in memory: true but for a deferred tensor that was not accessed yet.
  bool is_made() const { return maker_ == nullptr || data_ != nullptr; }
  // Zero elements, for a shape from outside: an error when it is not a shape or memory does not
  // suffice.
  static Expected<Tensor> allocate(DType dtype, Shape shape);

  // Type and extents, as at construction.
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  // Number of dimensions.
  int rank() const { return static_cast<int>(shape_.size()); }
  // Extent of dimension i, 0 <= i < rank().
  std::int64_t dim(int i) const { return shape_[static_cast<std::size_t>(i)]; }
  // Sizes of the whole, in elements and in bytes.
  std::int64_t elements() const { return tessera::elements(shape_); }
  std::int64_t bytes() const { return elements() * size_of(dtype_); }

  // The elements in row-major order, without gaps. `as` takes them as objects of T, whose size must
  // be that of an element.
  std::byte* data() { return bytes_made(); }
  const std::byte* data() const { return bytes_made(); }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }

  Tensor clone() const;  // a copy with memory of its own
  // Element i in row-major order, 0 <= i < elements(). Reading is exact but for i64 beyond 2^53,
  // which rounds to nearest even.
  double at(std::int64_t i) const;
  void set(std::int64_t i, double value);  // rounds to nearest even, saturating for FP8

  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  enum class Fill : std::uint8_t { zero, none };
  Tensor(DType dtype, Shape shape, Fill fill);
  struct Maker {
    std::once_flag once;
    std::function<Tensor()> make;
  };
  std::byte* bytes_made() const {
    if (maker_ != nullptr) make();
    return data_.get();
  }
  void make() const;
  DType dtype_ = DType::f32;
  Shape shape_;
  mutable std::unique_ptr<std::byte[], Free> data_;
  std::unique_ptr<Maker> maker_;  // null: the bytes are here
};

}  // namespace tessera
