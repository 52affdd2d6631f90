// Conversion of operands to the form that products require: one type, dense rows or columns.
#pragma once
#include <cstddef>
#include <cstdint>

#include "interp/tiles/matrix.h"

namespace tessera::math {

// Memory that is reused by the next product. Grows as needed; 64-byte aligned.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();
  std::byte* take(std::int64_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// Returns `from` as a row-major `rows` x `cols` matrix of `dtype` in `space`. Elements outside
// `from` are zero.
Matrix pack(const Matrix& from, DType dtype, std::int64_t rows, std::int64_t cols,
            Workspace& space);
inline Matrix pack(const Matrix& from, DType dtype, Workspace& space) {
  return pack(from, dtype, from.rows, from.cols, space);
}
// Copies the elements of `from` to `to`. Same dtype; `from` may be larger.
void unpack(const Matrix& to, const Matrix& from);

}  // namespace tessera::math
