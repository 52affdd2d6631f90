// A dense row-major host array. Bytes are owned, 64-byte aligned and, unless said otherwise, zero.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace tessera {

using Shape = std::vector<std::int64_t>;

std::int64_t elements(const Shape& shape);   // 1 for rank 0
std::string to_string(const Shape& shape);   // "(300, 64)"

class Tensor {
 public:
  Tensor() = default;
  // Elements are zero; `uninitialised` skips that.
  Tensor(DType dtype, Shape shape);
  static Tensor uninitialised(DType dtype, Shape shape);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  std::int64_t dim(int i) const { return shape_[static_cast<std::size_t>(i)]; }
  std::int64_t elements() const { return tessera::elements(shape_); }
  std::int64_t bytes() const { return elements() * size_of(dtype_); }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  template <typename T>
  T* as() { return reinterpret_cast<T*>(data_.get()); }
  template <typename T>
  const T* as() const { return reinterpret_cast<const T*>(data_.get()); }

  Tensor clone() const;                  // copies are explicit
  double at(std::int64_t i) const;       // element i in row-major order, converted exactly
  void set(std::int64_t i, double value);  // rounds to nearest even, saturating for FP8

  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

 private:
  struct Free { void operator()(std::byte* p) const; };
  DType dtype_ = DType::f32;
  Shape shape_;
  std::unique_ptr<std::byte[], Free> data_;
};

}  // namespace tessera
