// The producer: one thread walks this block's tiles and fetches each step's operands into the ring.
#pragma once
#include "devices/cuda/templates/order.cuh"
#include "devices/cuda/templates/ptx.cuh"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {

// Rows [begin, end) of a tile.
struct Rows {
  int begin, end;
};

// Whether the 64 rows of the product from `first` on have any of `rows`.
template <class C>
TESSERA_BOTH bool has_rows(const Rows& rows, int first) {
  if (C::swapped) return rows.begin < rows.end;
  return rows.begin < first + warpgroup_rows && rows.end > first && rows.begin < rows.end;
}

template <class C>
TESSERA_BOTH u32 full_barrier(u32 memory, int slot) {
  return memory + SharedLayout<C>::barriers + 8 * slot;
}
template <class C>
TESSERA_BOTH u32 empty_barrier(u32 memory, int slot) {
  return full_barrier<C>(memory, C::stages + slot);
}

// The copies of one step. The left operand is fetched by 64 rows, so that rows nobody wants are
// left out.
template <class C, class P>
TESSERA_DEVICE void fetch(const typename P::Args& p, const typename P::Step& step, const Rows& rows,
                          u32 to, u32 barrier) {
  using Left = typename SharedLayout<C>::Left;
  using Right = typename SharedLayout<C>::Right;
  u32 bytes = Right::bytes;
  for (int row = 0; row < C::m; row += warpgroup_rows) {
    if (has_rows<C>(rows, row)) bytes += warpgroup_rows * C::k * 2;
  }
  ptx::barrier_expect(barrier, bytes);
  constexpr int k_pieces = C::k / box_elements;
  for (int row = 0; row < C::m; row += warpgroup_rows) {
    if (!has_rows<C>(rows, row)) continue;
    for (int piece = 0; piece < (C::left_k_major ? k_pieces : 1); ++piece) {
      int at[C::left_rank];
      for (int d = 0; d < C::left_rank; ++d) at[d] = step.left[d];
      at[C::left_row_dim] += row;
      at[C::left_k_dim] += piece * box_elements;
      ptx::load_box<C::left_rank>(to + Left::offset(row, piece * box_elements), &p.left, barrier,
                                  at);
    }
  }
  for (int box = 0; box < Right::boxes; ++box) {
    int at[C::right_rank];
    for (int d = 0; d < C::right_rank; ++d) at[d] = step.right[d];
    at[C::right_k_major ? C::right_k_dim : C::right_row_dim] += box * box_elements;
    ptx::load_box<C::right_rank>(to + Left::bytes + box * Right::box_bytes, &p.right, barrier, at);
  }
}

template <class C, class P>
TESSERA_DEVICE void produce(const typename P::Args& p, const i64* arrays, u32 memory) {
  const TileGrid grid = P::grid(p, arrays);
  const int count = tile_count(grid);
  Ring<C::stages> ring;
  for (int index = ptx::block(); index < count; index += ptx::blocks()) {
    const typename P::Tile tile = P::tile(p, arrays, tile_at(grid, C::band, index));
    const Rows rows = P::rows(p, tile);
    if (C::exact_rows && rows.begin < rows.end) {
      int at[C::result_rank];
      P::result_at(p, tile, at);
      if (at[1] + rows.end > p.result_rows) ptx::first_error(p.error, at[1] + rows.end);
    }
    const i64 end = P::step_end(p, arrays, tile);
    for (i64 s = P::step_begin(p, arrays, tile); s < end; ++s) {
      const typename P::Step step = P::step(p, arrays, tile, s);
      if (!step.active) continue;
      ptx::barrier_wait(empty_barrier<C>(memory, ring.slot), ring.phase ^ 1);
      fetch<C, P>(p, step, rows, memory + ring.slot * SharedLayout<C>::stage_bytes,
                  full_barrier<C>(memory, ring.slot));
      ring.advance();
    }
  }
}

}  // namespace tessera::cuda
