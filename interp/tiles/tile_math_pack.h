// Operands in the form that products want: one type, rows (or columns) without gaps.
#pragma once
#include <cstddef>
#include <cstdint>

#include "interp/tiles/matrix.h"

namespace tessera::math {

// Memory that is kept for the next product; grows, 64-byte aligned.
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

// `from` as `dtype` in `space`, `rows` x `cols` of them row-major; what `from` does not have is
// zero.
Matrix pack(const Matrix& from, DType dtype, std::int64_t rows, std::int64_t cols,
            Workspace& space);
inline Matrix pack(const Matrix& from, DType dtype, Workspace& space) {
  return pack(from, dtype, from.rows, from.cols, space);
}
// The elements of `from`, which may have more, to `to`; same dtype.
void unpack(const Matrix& to, const Matrix& from);

}  // namespace tessera::math
