// Strided view of a tensor as a matrix, with its elements as doubles.
#pragma once
#include <cstdint>
#include <span>

#include "core/data/tensor.h"

namespace tessera {

struct MatrixView {
  const Tensor* tensor = nullptr;
  std::int64_t offset = 0;                         // element of the tensor at (0, 0)
  std::int64_t row_stride = 0, column_stride = 1;  // in elements

  // Return the transposed view, and the view whose element (0, 0) is (row, column).
  MatrixView transposed() const { return {tensor, offset, column_stride, row_stride}; }
  MatrixView from(std::int64_t row, std::int64_t column) const {
    return {tensor, offset + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

// Writes the rows `rows` and columns 0 .. columns - 1 of the view to `out`, exact, as a dense
// row-major matrix [rows.size(), columns].
void decode(const MatrixView& view, std::span<const std::int64_t> rows, std::int64_t columns,
            double* out);

}  // namespace tessera
