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
  // Returns at least `bytes` bytes, which stay valid until the next take(). Throws NoMemory.
  std::byte* take(std::int64_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// Return a copy of `from` as a row-major matrix of `dtype` in `space`, valid until its next use.
// The copy has `rows` x `cols` elements, at least as many as `from`; elements outside `from` are
// zero.
Matrix pack(const Matrix& from, DType dtype, std::int64_t rows, std::int64_t cols,
            Workspace& space);
inline Matrix pack(const Matrix& from, DType dtype, Workspace& space) {
  return pack(from, dtype, from.rows, from.cols, space);
}
// Copies the elements of `from` to `to`. Same dtype; `from` may be larger, and its other elements
// are skipped.
void unpack(const Matrix& to, const Matrix& from);

}  // namespace tessera::math
