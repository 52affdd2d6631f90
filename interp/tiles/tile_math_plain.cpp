#include "interp/tiles/tile_math_plain.h"

#include "interp/tiles/tile_math_pack.h"

namespace tessera::math {
namespace {

// The build forbids contraction, so vectors of any width give the same sums. Integers are unsigned
// so that they wrap.
template <typename T>
void rows_of_products(const Matrix& acc, const Matrix& a, const Matrix& b) {
  for (std::int64_t i = 0; i < acc.rows; ++i) {
    T* __restrict out = reinterpret_cast<T*>(acc.data) + i * acc.row_stride;
    const T* left = reinterpret_cast<const T*>(a.data) + i * a.row_stride;
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const T factor = left[k];
      const T* __restrict right = reinterpret_cast<const T*>(b.data) + k * b.row_stride;
      for (std::int64_t j = 0; j < acc.cols; ++j) out[j] = out[j] + factor * right[j];
    }
  }
}

}  // namespace

void multiply_add_plain(const Matrix& acc, const Matrix& a, const Matrix& b) {
  thread_local Workspace left, right, sum;
  const Matrix x = pack(a, acc.dtype, left), y = pack(b, acc.dtype, right);
  const Matrix out = acc.col_stride == 1 ? acc : pack(acc, acc.dtype, sum);
  if (acc.dtype == DType::f32)
    rows_of_products<float>(out, x, y);
  else
    rows_of_products<std::uint32_t>(out, x, y);
  if (out.data != acc.data) unpack(acc, out);
}

}  // namespace tessera::math
