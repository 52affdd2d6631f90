// The producer: one warp follows this CTA's tiles, and one of its lanes fetches the operands of
// each step into the ring.
#pragma once
#include "devices/cuda/templates/shape.cuh"
#include "devices/cuda/templates/turn.cuh"

namespace tessera::cuda {

// True if the 64 rows of the product from `first` on include any of `rows`.
template <class C>
TESSERA_BOTH bool has_rows(const Rows& rows, int first) {
  if (C::swapped) return rows.begin < rows.end;
  return rows.begin < first + warpgroup_rows && rows.end > first && rows.begin < rows.end;
}

template <class C>
TESSERA_BOTH u32 full_barrier(u32 memory, int slot) {
  return memory + SharedLayout<C>::barriers + 8 * slot;
}
// Completed when the consumers of all CTAs that are written to have read the slot.
template <class C>
TESSERA_BOTH u32 empty_barrier(u32 memory, int slot) {
  return full_barrier<C>(memory, C::stages + slot);
}
// The consumer's turn to multiply: completed when the other has started its last step.
template <class C>
TESSERA_BOTH u32 turn_barrier(u32 memory, int consumer) {
  return full_barrier<C>(memory, 2 * C::stages + consumer);
}
template <class C>
inline constexpr int empty_arrivals = (C::alternate ? 1 : C::consumers) * 4 * C::cluster;

// The copies of one step. The left operand is fetched in parts of 64 rows, so that parts without
// needed rows are skipped. If both CTAs of a cluster need an operand, each fetches every other
// box for both.
template <class C, class P>
struct Fetch {
  using Left = typename SharedLayout<C>::Left;
  using Right = typename SharedLayout<C>::Right;
  const typename P::Args& p;
  u64 left_policy = ptx::policy<C::left_evict>(), right_policy = ptx::policy<C::right_evict>();

  TESSERA_DEVICE void operator()(const typename P::Step& step, const Rows& rows, bool together,
                                 u32 to, u32 barrier) const {
    u32 bytes = Right::bytes;
    for (int row = 0; row < C::m; row += warpgroup_rows) {
      if (has_rows<C>(rows, row)) bytes += warpgroup_rows * C::k * C::operand_bytes;
    }
    ptx::barrier_expect(barrier, bytes);
    left(step, rows, C::share_left && together, to, barrier);
    right(step, C::share_right && together, to + Left::bytes, barrier);
  }

 private:
  // Fetches a box for this CTA, or every other box for both CTAs.
  template <int rank>
  TESSERA_DEVICE static void box(int number, bool together, u32 to, const TensorMap* map,
                                 u32 barrier, const int (&at)[rank], u64 policy) {
    if constexpr (C::cluster == 2) {
      if (together) {
        if (number % C::cluster == cluster_rank<C>())
          ptx::load_box<rank, C::cluster>(to, map, barrier, at, policy);
        return;
      }
    }
    ptx::load_box<rank>(to, map, barrier, at, policy);
  }

  TESSERA_DEVICE void left(const typename P::Step& step, const Rows& rows, bool together, u32 to,
                           u32 barrier) const {
    constexpr int k_pieces = C::left_k_major ? C::k / box_elements<C> : 1;
    int number = 0;
    for (int row = 0; row < C::m; row += warpgroup_rows) {
      if (!has_rows<C>(rows, row)) continue;
      for (int piece = 0; piece < k_pieces; ++piece, ++number) {
        int at[C::left_rank];
        for (int d = 0; d < C::left_rank; ++d) at[d] = step.left[d];
        at[C::left_row_dim] += row;
        at[C::left_k_dim] += piece * box_elements<C>;
        box(number, together, to + Left::offset(row, piece * box_elements<C>), &p.left, barrier, at,
            left_policy);
      }
    }
  }

  TESSERA_DEVICE void right(const typename P::Step& step, bool together, u32 to,
                            u32 barrier) const {
    constexpr int parts = right_parts<C>, part_rows = C::n / parts;
    for (int piece = 0; piece < Right::boxes; ++piece) {
      for (int part = 0; part < parts; ++part) {
        int at[C::right_rank];
        for (int d = 0; d < C::right_rank; ++d) at[d] = step.right[d];
        at[C::right_k_major ? C::right_k_dim : C::right_row_dim] += piece * box_elements<C>;
        if (C::right_k_major) at[C::right_row_dim] += part * part_rows;
        box(piece * parts + part, together,
            to + piece * Right::box_bytes + part * part_rows * row_bytes, &p.right, barrier, at,
            right_policy);
      }
    }
  }
};

// True if both CTAs of the cluster fetch the same block of the operand that they may share.
template <class C, class P>
TESSERA_DEVICE bool same_operand(const Turn<C, P>& turn, const typename P::Step& mine,
                                 const typename P::Step& other) {
  if (!mine.active || !other.active) return false;
  bool same = true;
  if (C::share_left) {
    for (int d = 0; d < C::left_rank; ++d) same &= mine.left[d] == other.left[d];
    same &= turn.mine.rows == turn.other.rows;
  } else {
    for (int d = 0; d < C::right_rank; ++d) same &= mine.right[d] == other.right[d];
  }
  return same;
}

// Reports rows of the tile that the result does not have.
template <class C, class P>
TESSERA_DEVICE void report_outside(const typename P::Args& p, const Taken<P>& tile) {
  if (!C::exact_rows || tile.rows.begin >= tile.rows.end) return;
  int at[C::result_rank];
  P::result_at(p, tile.tile, at);
  if (at[1] + tile.rows.end > p.result_rows) ptx::first_error(p.error, at[1] + tile.rows.end);
}

template <class C, class P>
TESSERA_DEVICE void produce(const typename P::Args& p, const i64* arrays, u32 memory) {
  const Fetch<C, P> fetch{p};
  Ring<C::stages> ring;
  Turns<C, P, Role::producer> turns(p, arrays, memory);
  TurnSteps<C, P, Role::producer> steps(turns);
  for (; !turns.done(); turns.advance()) {
    steps.begin();
    const Turn<C, P>& turn = steps.turn();
    if (turn.mine.there && ptx::thread() == 0) report_outside<C, P>(p, turn.mine);
    for (i64 s = turn.begin; s < turn.end; ++s) {
      const typename P::Step step = steps.mine(s);
      bool together = turn.alike, taken = step.active;
      if constexpr (C::cluster == 2) {
        if (!turn.alike) {
          const typename P::Step other = steps.other(s);
          together = same_operand<C, P>(turn, step, other);
          taken |= other.active;
        }
      }
      if (!taken) continue;
      const u32 full = full_barrier<C>(memory, ring.slot);
      ptx::barrier_wait(empty_barrier<C>(memory, ring.slot), ring.phase ^ 1);
      if (ptx::elect_one()) {
        if (step.active) {
          if (C::ragged_k && step.left[C::left_k_dim] + step.depth > p.contraction)
            ptx::first_error(p.error, step.left[C::left_k_dim] + step.depth);
          fetch(step, turn.mine.rows, together, memory + ring.slot * SharedLayout<C>::stage_bytes,
                full);
        } else {
          ptx::barrier_arrive(full);  // step of the other CTA only: no data
        }
      }
      ring.advance();
    }
  }
}

}  // namespace tessera::cuda
