#include "core/data/fortran_order.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera {
namespace {

// Transposes in square blocks of the first and the last dimension: the source is contiguous in one,
// the destination in the other.
template <typename Element>
void transpose(const std::byte* src, std::byte* dst, const Shape& shape) {
  const std::int64_t rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t first = shape.front(), last = shape.back();
  const std::int64_t count = elements(shape), middle = count / first / last;
  const std::int64_t row = middle * last, column = middle * first;
  constexpr std::int64_t block = 32;
  constexpr auto size = static_cast<std::int64_t>(sizeof(Element));
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t from = 0;  // offset in the source for the index of the middle dimensions
  for (std::int64_t to = 0; to < middle; ++to) {
    for (std::int64_t i0 = 0; i0 < first; i0 += block) {
      for (std::int64_t j0 = 0; j0 < last; j0 += block) {
        for (std::int64_t i = i0; i < std::min(i0 + block, first); ++i) {
          for (std::int64_t j = j0; j < std::min(j0 + block, last); ++j) {
            std::memcpy(dst + (i * row + to * last + j) * size,
                        src + (from + i + j * column) * size, size);
          }
        }
      }
    }
    std::int64_t stride = column;
    for (std::int64_t d = rank - 2; d >= 1; --d) {
      const auto k = static_cast<std::size_t>(d);
      stride /= shape[k];
      from += stride;
      if (++index[k] < shape[k]) break;
      from -= stride * shape[k];
      index[k] = 0;
    }
  }
}

}  // namespace

Expected<Tensor> from_fortran_order(const Tensor& source) {
  if (source.rank() < 2 || source.elements() == 0) return source.clone();
  auto result = Tensor::allocate(source.dtype(), source.shape());
  if (!result) return result;
  switch (size_of(source.dtype())) {
    case 1:
      transpose<std::uint8_t>(source.data(), result->data(), source.shape());
      break;
    case 2:
      transpose<std::uint16_t>(source.data(), result->data(), source.shape());
      break;
    case 4:
      transpose<std::uint32_t>(source.data(), result->data(), source.shape());
      break;
    default:
      transpose<std::uint64_t>(source.data(), result->data(), source.shape());
      break;
  }
  return result;
}

}  // namespace tessera
