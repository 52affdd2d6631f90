// Iteration of the elementwise tile ops: rows of dst along its last dimension, in pieces small
// enough for the cache. Each piece of a source is loaded as an array of f32 or i64, broadcast,
// whatever its type and strides.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/data/convert.h"
#include "interp/memory/view.h"

namespace tessera::tile {

inline constexpr std::int64_t piece = 512;  // elements

template <typename T>
inline constexpr DType computed = std::is_same_v<T, float> ? DType::f32 : DType::i64;

// A source broadcast to the rank of dst, with stride 0 in broadcast dimensions. Copies the bytes
// first if dst overlaps them, unless both have the same elements at the same addresses.
class Source {
 public:
  Source(const TileView& view, const TileView& dst);
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;

  const TileView& view() const { return view_; }
  // Loads `n` elements, at most `piece`, along the last dimension, from `begin` elements after
  // `index`, as T (float or int64_t).
  template <typename T>
  void load(const Index& index, std::int64_t begin, std::int64_t n, T* out) const;

 private:
  TileView view_;
  std::vector<std::byte> copy_;
};

// Converts `n` computed values (f32 or i64) to the type of dst and stores them along its last
// dimension, from `begin` elements after `index`. n: at most `piece`.
template <typename T>
void store(const TileView& dst, const Index& index, std::int64_t begin, std::int64_t n,
           const T* values);

// Address range of a view, from the first byte to past the last; equal ends for an empty view.
struct Span {
  const std::byte* begin;
  const std::byte* end;
};
Span span_of(const TileView& view);
bool overlaps(const TileView& a, const TileView& b);  // true if their address ranges do
std::int64_t offset_of(const TileView& view, const Index& index);  // in elements
// Copies the elements to `bytes`, row-major, and returns a view of the copy, which `bytes` must
// outlive.
TileView copy_of(const TileView& view, std::vector<std::byte>& bytes);

// Calls f(index, begin, n) for each piece of dst's rows: n elements along the last dimension, from
// `begin` elements after `index`.
template <typename F>
void for_each_piece(const TileView& dst, F&& f) {
  if (dst.elements() == 0) return;
  const int last = dst.rank - 1;
  const std::int64_t row = dst.rank == 0 ? 1 : dst.size[Box::at(last)];
  Index index{};
  for (;;) {
    for (std::int64_t begin = 0; begin < row; begin += piece)
      f(index, begin, std::min(piece, row - begin));
    int d = last - 1;
    for (; d >= 0; --d) {
      if (++index[Box::at(d)] < dst.size[Box::at(d)]) break;
      index[Box::at(d)] = 0;
    }
    if (d < 0) return;
  }
}

// Calls f(index) for each index of the leading dimensions, with 0 in the last two; once for a view
// of rank 2. No call if the view has no elements.
template <typename F>
void for_each_matrix(const TileView& view, F&& f) {
  if (view.elements() == 0) return;
  Index index{};
  for (int d = view.rank;;) {
    f(index);
    for (d = view.rank - 3; d >= 0; --d) {
      if (++index[Box::at(d)] < view.size[Box::at(d)]) break;
      index[Box::at(d)] = 0;
    }
    if (d < 0) return;
  }
}

// dst = f(sources), elementwise. T is float or int64_t.
template <typename T, std::size_t n_sources, typename F>
void map(const TileView& dst, const std::array<Source, n_sources>& sources, F&& f) {
  std::array<std::array<T, piece>, n_sources> in;
  std::array<T, piece> out;
  for_each_piece(dst, [&](const Index& index, std::int64_t begin, std::int64_t n) {
    for (std::size_t s = 0; s < n_sources; ++s) sources[s].load(index, begin, n, in[s].data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      if constexpr (n_sources == 1)
        out[i] = f(in[0][i]);
      else
        out[i] = f(in[0][i], in[1][i]);
    }
    store(dst, index, begin, n, out.data());
  });
}

template <typename T>
void Source::load(const Index& index, std::int64_t begin, std::int64_t n, T* out) const {
  if (view_.is_number) {
    const T value =
        is_integer(view_.dtype) ? static_cast<T>(view_.integer) : static_cast<T>(view_.real);
    std::fill_n(out, n, value);
    return;
  }
  const std::int64_t unit = size_of(view_.dtype);
  const std::int64_t step = view_.rank == 0 ? 0 : view_.stride[Box::at(view_.rank - 1)];
  const std::byte* p = view_.data + (offset_of(view_, index) + begin * step) * unit;
  if (step == 1) return convert(p, view_.dtype, reinterpret_cast<std::byte*>(out), computed<T>, n);
  if (step == 0) {
    convert(p, view_.dtype, reinterpret_cast<std::byte*>(out), computed<T>, 1);
    std::fill_n(out, n, out[0]);
    return;
  }
  std::array<std::byte, static_cast<std::size_t>(piece) * 8> gathered;
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(gathered.data() + i * unit, p + i * step * unit, static_cast<std::size_t>(unit));
  convert(gathered.data(), view_.dtype, reinterpret_cast<std::byte*>(out), computed<T>, n);
}

template <typename T>
void store(const TileView& dst, const Index& index, std::int64_t begin, std::int64_t n,
           const T* values) {
  const std::int64_t unit = size_of(dst.dtype);
  const std::int64_t step = dst.rank == 0 ? 1 : dst.stride[Box::at(dst.rank - 1)];
  std::byte* p = dst.data + (offset_of(dst, index) + begin * step) * unit;
  const auto* from = reinterpret_cast<const std::byte*>(values);
  if (step == 1) return convert(from, computed<T>, p, dst.dtype, n);
  std::array<std::byte, static_cast<std::size_t>(piece) * 8> converted;
  convert(from, computed<T>, converted.data(), dst.dtype, n);
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(p + i * step * unit, converted.data() + i * unit, static_cast<std::size_t>(unit));
}

}  // namespace tessera::tile
