// Dense row-major host array. Owns its bytes, which are 64-byte aligned and initially zero, unless
// stated otherwise.
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

inline constexpr std::size_t largest_file_rank = 64;  // maximum number of dimensions in a file

// Returns the product of the extents; 1 for rank 0; 0 if an extent is 0, also if the product of the
// others overflows. Throws InvalidValue for a negative extent or an overflow.
std::int64_t elements(const Shape& shape);
std::string to_string(const Shape& shape);  // "(300, 64)", "(300,)", "()"
// Returns the number of bytes of an array; none if a dimension is negative or the number overflows;
// 0 if an extent is 0 and none is negative.
std::optional<std::int64_t> checked_bytes(DType dtype, const Shape& shape);

// Type, shape and elements. Can be moved; clone() is the only way to copy.
class Tensor {
 public:
  Tensor() = default;  // f32 of rank 0 without memory: data() is null
  // Create zero elements; `uninitialised` leaves them unset. Throw InvalidValue
  // (core/report/invalid_value.h) if checked_bytes() is none, and NoMemory
  // (core/host/host_memory.h) if there is not enough memory. Public operations return both as
  // errors.
  Tensor(DType dtype, Shape shape);
  static Tensor uninitialised(DType dtype, Shape shape);
  // Returns a tensor that calls `make` at the first access to its elements. `make` must return a
  // tensor of this type and shape (CHECK). It is called once, on the thread of the first access; if
  // it throws, the access throws and the next one calls it again. Throws InvalidValue for the
  // shape.
  static Tensor deferred(DType dtype, Shape shape, std::function<Tensor()> make);
  // True if the elements are in memory: always, except for a deferred tensor before the first
  // access.
  bool is_made() const { return maker_ == nullptr || data_ != nullptr; }
  // Like the constructor, for a shape from external data: fails with ErrorCode::invalid_value if
  // the shape is invalid, and with ErrorCode::environment if there is not enough memory.
  static Expected<Tensor> allocate(DType dtype, Shape shape);

  // Type and extents given to the constructor.
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  // Number of dimensions.
  int rank() const { return static_cast<int>(shape_.size()); }
  // Extent of dimension i, 0 <= i < rank() (unchecked).
  std::int64_t dim(int i) const { return shape_[static_cast<std::size_t>(i)]; }
  // Total size in elements and in bytes.
  std::int64_t elements() const { return tessera::elements(shape_); }
  std::int64_t bytes() const { return elements() * size_of(dtype_); }

  // Elements in row-major order, without gaps. `as` returns them as objects of T, which must have
  // the size of an element. Make the elements of a deferred tensor. The pointers stay valid if the
  // tensor is moved.
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

  // Returns a copy of the tensor; makes the elements of a deferred tensor. Throws NoMemory.
  Tensor clone() const;
  // Returns element i in row-major order, 0 <= i < elements() (CHECK). Exact, except that an i64
  // beyond 2^53 rounds to nearest even.
  double at(std::int64_t i) const;
  // Sets element i, 0 <= i < elements() (CHECK), converted like store_element() with
  // Overflow::saturate.
  void set(std::int64_t i, double value);

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
  std::unique_ptr<Maker> maker_;  // null: not deferred
};

}  // namespace tessera
