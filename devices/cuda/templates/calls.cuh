// Calls of a task graph's kernels. A call is one op of the program on rectangles of memory. The
// host writes its words (devices/cuda/graph/call_writer.h). All threads of a CTA execute a call
// together, with a barrier at its end.
#pragma once
#include "devices/cuda/templates/elements.cuh"

namespace tessera::cuda {

// A rectangle of memory: the address of its first element, and the stride of each dimension in
// elements; stride 0 repeats an element.
template <class T, int rank>
struct View {
  typename T::stored* data;
  const i64* stride;

  TESSERA_DEVICE i64 place(const i64* e) const {
    i64 at = 0;
#pragma unroll
    for (int d = 0; d < rank; ++d) at += e[d] * stride[d];
    return at;
  }
  TESSERA_DEVICE auto value(const i64* e) const { return T::load(data[place(e)]); }
  TESSERA_DEVICE float real(const i64* e) const { return static_cast<float>(value(e)); }
  TESSERA_DEVICE i64 whole(const i64* e) const { return static_cast<i64>(value(e)); }
  template <class V>
  TESSERA_DEVICE void set(const i64* e, V value) const {
    data[place(e)] = T::of(value);
  }
};

// Arguments of a call. A memory operand is two words: the index of the memory, or a negative number
// for the CTA's private memory, and an offset in bytes.
struct Call {
  const i64* words;
  char* const* memories;
  char* own;

  TESSERA_DEVICE char* at(int i) const {
    const i64 memory = words[i];
    return (memory < 0 ? own : memories[memory]) + words[i + 1];
  }
  template <class T, int rank>
  TESSERA_DEVICE View<T, rank> view(int i) const {
    return {reinterpret_cast<typename T::stored*>(at(i)), words + i + 2};
  }
  TESSERA_DEVICE i64 whole(int i) const { return words[i]; }
  TESSERA_DEVICE float real(int i) const { return ptx::bits_to_float(static_cast<u32>(words[i])); }
  // Numbers loaded by an earlier call.
  TESSERA_DEVICE i64 loaded_whole(int i) const { return *reinterpret_cast<const i64*>(at(i)); }
  TESSERA_DEVICE float loaded_real(int i) const { return *reinterpret_cast<const float*>(at(i)); }
};

// Indices of the element at `position`, in row-major order.
template <int rank>
TESSERA_DEVICE void indices(const i64* size, i64 position, i64* e) {
#pragma unroll
  for (int d = rank; d-- > 0;) {
    e[d] = position % size[d];
    position /= size[d];
  }
}

// Calls f(e) for each element of a rectangle of this size.
template <int rank, class F>
TESSERA_DEVICE void for_each(const i64* size, F f) {
  i64 count = 1;
#pragma unroll
  for (int d = 0; d < rank; ++d) count *= size[d];
  for (i64 at = ptx::thread(); at < count; at += C::threads) {
    i64 e[rank + 1];
    indices<rank>(size, at, e);
    f(e);
  }
  ptx::sync_block();
}

// Copies or adds `from` to `to` in row-major order, for any shapes; T is as wide as the elements.
template <class T, int rank, int from_rank, bool adds = false>
TESSERA_DEVICE void in_order(const i64* size, View<T, rank> to, const i64* from_size,
                             View<T, from_rank> from) {
  i64 count = 1;
#pragma unroll
  for (int d = 0; d < rank; ++d) count *= size[d];
  for (i64 at = ptx::thread(); at < count; at += C::threads) {
    i64 e[rank + 1], f[from_rank + 1];
    indices<rank>(size, at, e);
    indices<from_rank>(from_size, at, f);
    if constexpr (adds)
      to.set(e, to.value(e) + from.value(f));
    else
      to.data[to.place(e)] = from.data[from.place(f)];
  }
  ptx::sync_block();
}

// Copies between each element of `wide` and its `parts` elements of `narrow` along `dim`.
template <class W, class N, int rank, bool widens>
TESSERA_DEVICE void bits_of_parts(const i64* wide_size, View<W, rank> wide, View<N, rank> narrow,
                                  int dim) {
  constexpr int parts = static_cast<int>(sizeof(typename W::stored) / sizeof(typename N::stored));
  for_each<rank>(wide_size, [&](i64* e) {
    auto* const whole = reinterpret_cast<typename N::stored*>(wide.data + wide.place(e));
    e[dim] *= parts;
    for (int k = 0; k < parts; ++k, ++e[dim]) {
      auto& part = narrow.data[narrow.place(e)];
      if constexpr (widens)
        whole[k] = part;
      else
        part = whole[k];
    }
  });
}

// Zeroes the elements of the slot that are not between `begin` and `end`.
template <class T, int rank>
TESSERA_DEVICE void pad(const i64* size, View<T, rank> slot, const i64* begin, const i64* end) {
  for_each<rank>(size, [&](const i64* e) {
    bool is_inside = true;
#pragma unroll
    for (int d = 0; d < rank; ++d) is_inside = is_inside && begin[d] <= e[d] && e[d] < end[d];
    if (!is_inside) slot.data[slot.place(e)] = typename T::stored{};
  });
}

// Type in which products are summed: wrapping integers for integers, else floats.
TESSERA_DEVICE float sum_of(float x) { return x; }
TESSERA_DEVICE u64 sum_of(i64 x) { return static_cast<u64>(x); }
template <class T>
struct Summed {
  static constexpr bool is_whole = sizeof(decltype(T::load(typename T::stored{}))) == sizeof(i64);
};

// Adds an integer sum to an accumulator. i32 wraps; for a float the sum is rounded once.
template <class Acc>
TESSERA_DEVICE typename Acc::stored with_sum(typename Acc::stored before, u64 sum) {
  if constexpr (Summed<Acc>::is_whole)
    return static_cast<typename Acc::stored>(static_cast<int>(static_cast<u64>(before) + sum));
  else
    return Acc::of(Acc::load(before) + static_cast<float>(static_cast<i64>(sum)));
}

// acc += a . b for each index of the leading dimensions. The last two of `size` are rows
// and columns; `terms` products are summed in ascending order. Each thread computes a block
// of side x side elements, which reuses loaded numbers. Adjacent threads have adjacent
// columns.
template <class Acc, class A, class B, int rank>
TESSERA_DEVICE void matmul(const i64* size, i64 terms, View<Acc, rank> acc, View<A, rank> a,
                           View<B, rank> b, bool transpose_a, bool transpose_b) {
  constexpr int row = rank - 2, column = rank - 1, side = 4;
  constexpr int across = C::threads >= 256 ? 16 : 8, down = C::threads / across;
  constexpr bool is_whole = Summed<A>::is_whole;
  using Sum = decltype(sum_of(A::load(typename A::stored{})));
  const i64 rows = size[row], columns = size[column];
  const i64 along_a = a.stride[transpose_a ? row : column],
            down_a = a.stride[transpose_a ? column : row],
            along_b = b.stride[transpose_b ? column : row],
            across_b = b.stride[transpose_b ? row : column];
  i64 products = 1;
#pragma unroll
  for (int d = 0; d < row; ++d) products *= size[d];
  for (i64 product = 0; product < products; ++product) {
    i64 e[rank + 1];
    indices<row>(size, product, e);
    e[row] = e[column] = 0;
    auto* const to = acc.data + acc.place(e);
    const auto* const left = a.data + a.place(e);
    const auto* const right = b.data + b.place(e);
    for (i64 i0 = ptx::thread() / across; i0 < rows; i0 += down * side)
      for (i64 j0 = ptx::thread() % across; j0 < columns; j0 += across * side) {
        const typename A::stored* x[side];
        const typename B::stored* y[side];
        Sum sums[side][side] = {};
#pragma unroll
        for (int s = 0; s < side; ++s) {  // beyond the end: reads the last ones again
          x[s] = left + least(i0 + s * down, rows - 1) * down_a;
          y[s] = right + least(j0 + s * across, columns - 1) * across_b;
        }
        if constexpr (!is_whole)
#pragma unroll
          for (int r = 0; r < side; ++r)
#pragma unroll
            for (int c = 0; c < side; ++c)
              sums[r][c] = static_cast<float>(
                  Acc::load(to[least(i0 + r * down, rows - 1) * acc.stride[row] +
                               least(j0 + c * across, columns - 1) * acc.stride[column]]));
        for (i64 k = 0; k < terms; ++k) {
          Sum u[side], v[side];
#pragma unroll
          for (int s = 0; s < side; ++s) {
            u[s] = sum_of(A::load(x[s][k * along_a]));
            v[s] = sum_of(B::load(y[s][k * along_b]));
          }
#pragma unroll
          for (int r = 0; r < side; ++r)
#pragma unroll
            for (int c = 0; c < side; ++c) sums[r][c] += u[r] * v[c];
        }
#pragma unroll
        for (int r = 0; r < side; ++r)
#pragma unroll
          for (int c = 0; c < side; ++c) {
            const i64 i = i0 + r * down, j = j0 + c * across;
            if (i >= rows || j >= columns) continue;
            auto& element = to[i * acc.stride[row] + j * acc.stride[column]];
            if constexpr (is_whole)
              element = with_sum<Acc>(element, sums[r][c]);
            else
              element = Acc::of(sums[r][c]);
          }
      }
  }
  ptx::sync_block();
}

}  // namespace tessera::cuda
