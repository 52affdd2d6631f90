// Applies the epilogue to the accumulators of a warpgroup and writes chunks with rows of 128 bytes
// to shared memory. A chunk is copied in bulk if all its rows are stored, else 16 bytes per thread.
// If result rows are instruction rows, each warp stores its 16 rows independently; else the warps
// of a consumer fill each chunk together.
#pragma once
#include "devices/cuda/templates/produce.cuh"

namespace tessera::cuda {

// Position of accumulator element `r` of a thread in the 64 x n result of its matrix instruction.
struct Fragment {
  int thread;  // index in its warpgroup
  TESSERA_BOTH int row(int r) const { return first_row() + row_step(r); }
  TESSERA_BOTH int column(int r) const { return first_column() + column_step(r); }
  // Split into parts for thread and register: the part for the thread is computed only once.
  TESSERA_BOTH int first_row() const { return thread / 32 * 16 + thread % 32 / 4; }
  TESSERA_BOTH int first_column() const { return thread % 4 * 2; }
  static TESSERA_BOTH int row_step(int r) { return r / 2 % 2 * 8; }
  static TESSERA_BOTH int column_step(int r) { return r / 4 * 8 + r % 2; }
};

enum class ResultType { f32, bf16, f16 };

template <ResultType type>
TESSERA_DEVICE u32 pack(float low, float high) {
  return type == ResultType::bf16 ? ptx::pack_bf16(low, high) : ptx::pack_f16(low, high);
}

// Barrier for the threads of one consumer.
TESSERA_DEVICE void sync_warpgroup(int number) {
  if (number == 0) {
    ptx::named_barrier<2, 128>();
  } else {
    ptx::named_barrier<3, 128>();
  }
}

// Threads that fill and store a chunk: a warp or a warpgroup.
template <class C>
inline constexpr int chunk_threads = C::swapped ? 128 : 32;
template <class C>
inline constexpr int chunk_rows = C::swapped ? C::n : warp_rows;

// The two buffers of these threads. A buffer is refilled after the copy out of it has read it.
template <class C>
struct Staging {
  using Layout = SharedLayout<C>;
  u32 start;
  int warpgroup;
  int first_row;  // first row of this consumer in the tile
  bool is_copying = !C::swapped || ptx::warp() % 4 == 0;  // warp with the copying lane
  int next = 0;

  TESSERA_DEVICE Staging(u32 memory, int number, int row)
      : start(memory + Layout::staging + number * staging_buffers * Layout::staging_bytes +
              (C::swapped ? 0 : ptx::warp() % 4 * warp_rows * row_bytes)),
        warpgroup(number),
        first_row(row) {}
  TESSERA_DEVICE int thread() const { return ptx::thread() % 128; }
  TESSERA_DEVICE void sync() const {
    if constexpr (C::swapped) {
      sync_warpgroup(warpgroup);
    } else {
      ptx::sync_warp();
    }
  }
  // Always by the same lane, as the thread that starts copies must wait for them. Two nested
  // conditions: in a single one the compiler would not see that only one lane runs.
  template <class Copy>
  TESSERA_DEVICE void by_one(const Copy& copy) const {
    if (is_copying) {
      if (ptx::elect_one()) copy();
    }
  }
  // Returns a buffer that may be written. Each take() needs one give().
  TESSERA_DEVICE u32 take() {
    by_one([] { ptx::store_wait_read<staging_buffers - 1>(); });
    sync();
    const u32 buffer = start + next * Layout::staging_bytes;
    next ^= 1;
    return buffer;
  }
};

// Copies rows [begin, end) of a filled buffer to the result. `at` is the position of the buffer's
// first row and column.
template <class C, class P>
TESSERA_DEVICE void give(const typename P::Args& p, const Staging<C>& staging, u32 buffer,
                         const int (&at)[C::result_rank], int begin, int end) {
  constexpr int rows = chunk_rows<C>;
  constexpr int per_chunk = 16 / C::result_bytes;
  ptx::fence_async();
  staging.sync();
  const bool is_whole = begin <= 0 && end >= rows;
  if (!is_whole) {
    const i64 outer = C::result_rank == 3 ? at[C::result_rank - 1] : 0;
#pragma unroll 1
    for (int i = ptx::thread() % chunk_threads<C>; i < rows * (row_bytes / 16);
         i += chunk_threads<C>) {
      const int row = i / (row_bytes / 16), chunk = i % (row_bytes / 16);
      const i64 y = at[1] + row, x = at[0] + chunk * per_chunk;
      if (row < begin || row >= end || y < 0 || y >= p.result_rows || x >= p.result_columns)
        continue;
      const i64 element = (outer * p.result_rows + y) * p.result_pitch + x;
      ptx::store_global(static_cast<char*>(p.result) + element * C::result_bytes,
                        ptx::load_shared(buffer + swizzled(row * row_bytes + chunk * 16)));
    }
  }
  // Without a copy the group is empty, so the number of groups equals the number of buffers given.
  staging.by_one([&] {
    if (is_whole) ptx::store_box<C::result_rank>(&p.result_map, buffer, at);
    ptx::store_commit();
  });
}

// Tile rows are rows of the matrix instruction: a chunk is 16 rows of a warp by 128 bytes.
template <class C, class P, class Sums>
TESSERA_DEVICE void store_straight(const typename P::Args& p, const typename P::Tile& tile,
                                   const Rows& rows, const Sums& sums, Staging<C>& staging) {
  constexpr int columns = row_bytes / C::result_bytes;
  const Fragment mine{staging.thread()};
  const int lane = mine.thread % 32, warp = mine.thread / 32;
#pragma unroll
  for (int i = 0; i < C::m_pieces; ++i) {
    const int piece = staging.first_row + i * warpgroup_rows, first = piece + warp * warp_rows;
    const i64 top = piece + mine.first_row(), left = mine.first_column();
    if (rows.begin >= first + warp_rows || rows.end <= first || rows.begin >= rows.end) continue;
    int at[C::result_rank];
    P::result_at(p, tile, at);
    at[1] += first;
#pragma unroll
    for (int chunk = 0; chunk < C::n / columns; ++chunk) {
      if (at[0] >= p.result_columns) break;
      const u32 buffer = staging.take();
      const auto value = [&](int r) {
        return P::value(p, tile, top + Fragment::row_step(r), left + Fragment::column_step(r),
                        sums[i][r]);
      };
      const int base = chunk * (columns / 2);
      if constexpr (C::result_bytes == 2) {
        const int row = lane % 16;
#pragma unroll
        for (int j = 0; j < columns / 16; ++j) {
          const int r = base + j * 8;
          ptx::store_matrices(buffer + swizzled(row * row_bytes + (j * 2 + lane / 16) * 16),
                              pack<C::result>(value(r), value(r + 1)),
                              pack<C::result>(value(r + 2), value(r + 3)),
                              pack<C::result>(value(r + 4), value(r + 5)),
                              pack<C::result>(value(r + 6), value(r + 7)));
        }
      } else {
#pragma unroll
        for (int j = 0; j < columns / 8; ++j) {
          const int r = base + j * 4;
          const u32 offset = lane / 4 * row_bytes + (j * 8 + lane % 4 * 2) * 4;
          ptx::store_shared(buffer + swizzled(offset), value(r), value(r + 1));
          ptx::store_shared(buffer + swizzled(offset + 8 * row_bytes), value(r + 2), value(r + 3));
        }
      }
      give<C, P>(p, staging, buffer, at, rows.begin - first, rows.end - first);
      at[0] += columns;
    }
  }
}

// For tiles with few rows: tile rows are columns of the matrix instruction, and tile columns are
// its rows.
template <class C, class P, class Sums>
TESSERA_DEVICE void store_swapped(const typename P::Args& p, const typename P::Tile& tile,
                                  const Rows& rows, const Sums& sums, Staging<C>& staging) {
  constexpr int columns = row_bytes / C::result_bytes;
  constexpr int parts = warpgroup_rows / columns;  // 2 for f32: two warps per buffer
  const Fragment mine{staging.thread()};
  const int lane = mine.thread % 32, warp = mine.thread / 32;
#pragma unroll
  for (int i = 0; i < C::m_pieces; ++i) {
    const int first = staging.first_row + i * warpgroup_rows;
    const i64 top = first + mine.first_row(), left = mine.first_column();
    const auto value = [&](int r) {
      return P::value(p, tile, left + Fragment::column_step(r), top + Fragment::row_step(r),
                      sums[i][r]);
    };
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      int at[C::result_rank];
      P::result_at(p, tile, at);
      at[0] += first + part * columns;
      if (at[0] >= p.result_columns) break;
      const u32 buffer = staging.take();
      if constexpr (C::result_bytes == 2) {
#pragma unroll
        for (int r = 0; r < C::n / 2; r += 4) {
          const int row = r / 4 * 8 + lane % 8;
          ptx::store_matrices_transposed(
              buffer + swizzled(row * row_bytes + (warp * 2 + lane / 8 % 2) * 16),
              pack<C::result>(value(r), value(r + 1)), pack<C::result>(value(r + 2), value(r + 3)));
        }
      } else if (warp / 2 == part) {
#pragma unroll
        for (int r = 0; r < C::n / 2; ++r) {
          ptx::store_shared(
              buffer + swizzled(mine.column(r) * row_bytes + mine.row(r) % columns * 4), value(r));
        }
      }
      give<C, P>(p, staging, buffer, at, rows.begin, rows.end);
    }
  }
}

template <class C, class P, class Sums>
TESSERA_DEVICE void store_tile(const typename P::Args& p, const typename P::Tile& tile,
                               const Rows& rows, const Sums& sums, Staging<C>& staging) {
  if constexpr (C::swapped) {
    store_swapped<C, P>(p, tile, rows, sums, staging);
  } else {
    store_straight<C, P>(p, tile, rows, sums, staging);
  }
}

}  // namespace tessera::cuda
