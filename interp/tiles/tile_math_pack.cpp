#include "interp/tiles/tile_math_pack.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/data/convert.h"
#include "core/host/host_memory.h"
#include "core/report/check.h"

namespace tessera::math {
namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t block = 16;  // side of the squares of a blocked transposition

template <typename T>
void transpose_elements(const Matrix& to, const Matrix& from) {
  const auto* src = reinterpret_cast<const T*>(from.data);
  auto* dst = reinterpret_cast<T*>(to.data);
  for (std::int64_t i0 = 0; i0 < to.rows; i0 += block) {
    for (std::int64_t j0 = 0; j0 < to.cols; j0 += block) {
      for (std::int64_t i = i0; i < std::min(i0 + block, to.rows); ++i) {
        for (std::int64_t j = j0; j < std::min(j0 + block, to.cols); ++j) {
          dst[i * to.row_stride + j * to.col_stride] =
              src[i * from.row_stride + j * from.col_stride];
        }
      }
    }
  }
}

// Copies with any strides on both sides and the sizes of `to`.
void copy_strided(const Matrix& to, const Matrix& from) {
  switch (size_of(to.dtype)) {
    case 1:
      return transpose_elements<std::uint8_t>(to, from);
    case 2:
      return transpose_elements<std::uint16_t>(to, from);
    case 4:
      return transpose_elements<std::uint32_t>(to, from);
    default:
      return transpose_elements<std::uint64_t>(to, from);
  }
}

// Copies dense rows. Rows of a large matrix are a page apart, which hardware prefetchers do not
// follow, so later rows are prefetched explicitly.
void copy_rows(std::byte* to, std::int64_t to_pitch, const std::byte* from, std::int64_t from_pitch,
               std::int64_t bytes, std::int64_t rows) {
  constexpr std::int64_t ahead = 16, line = 64;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t at = 0; i + ahead < rows && at < bytes; at += line)
      __builtin_prefetch(from + (i + ahead) * from_pitch + at);
    std::memcpy(to + i * to_pitch, from + i * from_pitch, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

Workspace::~Workspace() { std::free(data_); }

std::byte* Workspace::take(std::int64_t bytes) {
  if (bytes > bytes_) {
    std::free(std::exchange(data_, nullptr));
    bytes_ = 0;
    const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_ =
        static_cast<std::byte*>(std::aligned_alloc(alignment, static_cast<std::size_t>(rounded)));
    if (data_ == nullptr) throw NoMemory("the operands of a product", rounded);
    bytes_ = rounded;
  }
  return data_;
}

Matrix pack(const Matrix& from, DType dtype, std::int64_t rows, std::int64_t cols,
            Workspace& space) {
  const std::int64_t unit = size_of(dtype), old_unit = size_of(from.dtype);
  const bool gather = from.col_stride != 1;
  // Gathered elements keep their type at first and are stored after the result.
  const std::int64_t own = (rows * cols * unit + alignment - 1) / alignment * alignment;
  const bool in_between = gather && dtype != from.dtype;
  std::byte* data = space.take(own + (in_between ? from.elements() * old_unit : 0));
  const Matrix result{data, dtype, rows, cols, cols, 1};
  Matrix source = from;
  if (gather) {
    const std::int64_t width = in_between ? from.cols : cols;
    source = {in_between ? data + own : data, from.dtype, from.rows, from.cols, width, 1};
    copy_strided(source, from);
  }
  const bool is_same = !gather && dtype == from.dtype;
  if (is_same)
    copy_rows(data, cols * unit, from.data, from.row_stride * unit, from.cols * unit, from.rows);
  for (std::int64_t i = 0; i < from.rows && !(is_same && cols == from.cols); ++i) {
    std::byte* row = data + i * cols * unit;
    if (source.data != data && !is_same) {
      convert(source.data + i * source.row_stride * old_unit, from.dtype, row, dtype, from.cols);
    }
    if (cols > from.cols) {
      std::memset(row + from.cols * unit, 0, static_cast<std::size_t>((cols - from.cols) * unit));
    }
  }
  if (rows > from.rows) {
    std::memset(data + from.rows * cols * unit, 0,
                static_cast<std::size_t>((rows - from.rows) * cols * unit));
  }
  return result;
}

void unpack(const Matrix& to, const Matrix& from) {
  if (to.col_stride != 1 || from.col_stride != 1) return copy_strided(to, from);
  const std::int64_t unit = size_of(to.dtype);
  copy_rows(to.data, to.row_stride * unit, from.data, from.row_stride * unit, to.cols * unit,
            to.rows);
}

}  // namespace tessera::math
