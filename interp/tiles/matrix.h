// A strided matrix in memory.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/data/dtype.h"

namespace tessera::math {

// Element (i, j) is at data + (i * row_stride + j * col_stride) elements.
struct Matrix {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0, col_stride = 0;

  Matrix transposed() const { return {data, dtype, cols, rows, col_stride, row_stride}; }
  std::int64_t elements() const { return rows * cols; }
};

}  // namespace tessera::math
