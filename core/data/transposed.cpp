#include "core/data/transposed.h"

#include <algorithm>
#include <cstring>

namespace tessera {

Tensor transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.dim(0), columns = matrix.dim(1), size = size_of(matrix.dtype());
  Tensor result = Tensor::uninitialised(matrix.dtype(), {columns, rows});
  // A block of the source and a block of the result fit in the first-level cache.
  constexpr std::int64_t side = 64;
  for (std::int64_t r = 0; r < rows; r += side) {
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t i = r; i < std::min(r + side, rows); ++i) {
        std::memcpy(result.data() + (c * rows + i) * size, matrix.data() + (i * columns + c) * size,
                    static_cast<std::size_t>(size));
      }
    }
  }
  return result;
}

}  // namespace tessera
