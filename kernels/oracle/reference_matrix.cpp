#include "kernels/oracle/reference_matrix.h"

#include "core/data/element.h"

namespace tessera {
namespace {

template <typename T, typename Convert>
void decode_as(const MatrixView& view, std::span<const std::int64_t> rows, std::int64_t columns,
               double* out, Convert convert) {
  const T* const data = view.tensor->as<T>() + view.offset;
  const auto count = static_cast<std::int64_t>(rows.size());
  if (view.column_stride == 1) {
    for (std::int64_t r = 0; r < count; ++r) {
      const T* const row = data + rows[static_cast<std::size_t>(r)] * view.row_stride;
      for (std::int64_t c = 0; c < columns; ++c) out[r * columns + c] = convert(row[c]);
    }
    return;
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    const T* const column = data + c * view.column_stride;
    for (std::int64_t r = 0; r < count; ++r) {
      out[r * columns + c] = convert(column[rows[static_cast<std::size_t>(r)] * view.row_stride]);
    }
  }
}

}  // namespace

void decode(const MatrixView& view, std::span<const std::int64_t> rows, std::int64_t columns,
            double* out) {
  element::with_dtype(view.tensor->dtype(), [&](auto type) {
    constexpr DType dtype = decltype(type)::value;
    decode_as<element::Stored<dtype>>(view, rows, columns, out, [](auto x) {
      return static_cast<double>(element::value_of<dtype>(x));
    });
  });
}

}  // namespace tessera
