#include "kernels/oracle/reference_matrix.h"

#include "core/data/numeric.h"

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
  const auto plain = [](auto x) { return static_cast<double>(x); };
  const auto all = [&]<typename T>(T, auto convert) {
    decode_as<T>(view, rows, columns, out, convert);
  };
  switch (view.tensor->dtype()) {
    case DType::f32:
      return all(float{}, plain);
    case DType::bf16:
      return all(std::uint16_t{}, [](std::uint16_t x) -> double { return from_bf16(x); });
    case DType::f16:
      return all(std::uint16_t{}, [](std::uint16_t x) -> double { return from_f16(x); });
    case DType::e4m3:
      return all(std::uint8_t{}, [](std::uint8_t x) -> double { return from_e4m3(x); });
    case DType::e5m2:
      return all(std::uint8_t{}, [](std::uint8_t x) -> double { return from_e5m2(x); });
    case DType::e8m0:
      return all(std::uint8_t{}, [](std::uint8_t x) -> double { return from_e8m0(x); });
    case DType::i8:
      return all(std::int8_t{}, plain);
    case DType::i32:
      return all(std::int32_t{}, plain);
    case DType::u32:
      return all(std::uint32_t{}, plain);
    case DType::i64:
      return all(std::int64_t{}, plain);
  }
}

}  // namespace tessera
