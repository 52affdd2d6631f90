// A consumer: a warpgroup that multiplies its rows of each tile as operands arrive, with one step
// of matrix instructions in flight, and stores them.
#pragma once
#include "devices/cuda/templates/epilogue.cuh"
#include "devices/cuda/templates/produce.cuh"
#include "devices/cuda/templates/wgmma.cuh"

namespace tessera::cuda {

// Releases a slot that this warp has read, to all CTAs that write to it. Lanes may have waited
// separately, so the warp is synchronised first.
template <class C>
TESSERA_DEVICE void release(u32 memory, int slot) {
  ptx::sync_warp();
  const u32 empty = empty_barrier<C>(memory, slot);
  const int lane = ptx::thread() % 32;
  if constexpr (C::cluster == 1) {
    if (lane == 0) ptx::barrier_arrive(empty);
  } else {
    if (lane < C::cluster) ptx::barrier_arrive_at(empty, lane);
  }
}

// The last step of a ragged contraction: elements from k = depth on belong to other data. They are
// zeroed in both operands up to the end of the next matrix instruction, as zero times a foreign
// infinity is not zero.
template <class C>
TESSERA_DEVICE void zero_beyond(u32 operands, int depth) {
  using Left = typename SharedLayout<C>::Left;
  using Right = typename SharedLayout<C>::Right;
  constexpr int threads = (C::alternate ? 1 : C::consumers) * 128;
  const int end = (depth + step_k<C> - 1) / step_k<C> * step_k<C>;
  const int chunks = (end - depth) * (row_bytes / 16);
  const int thread = (ptx::thread() - 128) % threads;
  for (int i = thread; i < (Left::boxes + Right::boxes) * chunks; i += threads) {
    const int box = i / chunks;
    const u32 at = box < Left::boxes ? box * Left::box_bytes
                                     : Left::bytes + (box - Left::boxes) * Right::box_bytes;
    ptx::zero_shared(operands + at + depth * row_bytes + (i % chunks) * 16);
  }
  ptx::fence_async();
  if constexpr (C::alternate) {
    sync_warpgroup(ptx::thread() / 128 - 1);
  } else {
    ptx::named_barrier<1, threads>();
  }
}

// `steps` matrix instructions along k for each 64 rows. fresh: starts sums at 0.
template <class C, int steps, bool fresh = false, class Sums>
TESSERA_DEVICE void multiply(Sums& sums, u32 operands, int first_row) {
  using Left = typename SharedLayout<C>::Left;
  using Right = typename SharedLayout<C>::Right;
  ptx::product_fence();
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int k = step * step_k<C>;
    const u64 right =
        descriptor(operands + Left::bytes + Right::offset(0, k), Right::leading, Right::stride);
#pragma unroll
    for (int i = 0; i < C::m_pieces; ++i) {
      const u64 left = descriptor(operands + Left::offset(first_row + i * warpgroup_rows, k),
                                  Left::leading, Left::stride);
      if constexpr (fresh) {
        if (step == 0) {
          first_product(sums[i], left, right);
          continue;
        }
      }
      product(sums[i], left, right);
    }
  }
  ptx::product_commit();
}

// Like multiply, for a block of which only the first `depth` elements along k count. Each count has
// its own code path, as a branch between two instructions would serialise them.
template <class C, int steps, class Sums>
TESSERA_DEVICE void multiply_some(Sums& sums, u32 operands, int first_row, int depth) {
  if constexpr (steps > 1) {
    if (depth <= (steps - 1) * step_k<C>) {
      multiply_some<C, steps - 1>(sums, operands, first_row, depth);
      return;
    }
  }
  multiply<C, steps>(sums, operands, first_row);
}

// For one-byte elements: instructions accumulate with few digits only (about 14 bits). Each block
// along the contraction is therefore summed from 0 and added to the sums in f32. The slot is
// released before the addition.
template <class C, class Sums>
TESSERA_DEVICE void multiply_and_add(Sums& sums, u32 memory, int slot, int first_row) {
  float part[C::m_pieces][C::n / 2];
  multiply<C, C::k / step_k<C>, true>(part, memory + slot * SharedLayout<C>::stage_bytes,
                                      first_row);
  ptx::product_wait<0>();
  release<C>(memory, slot);
#pragma unroll
  for (int i = 0; i < C::m_pieces; ++i) {
#pragma unroll
    for (int r = 0; r < C::n / 2; ++r) {
      ptx::pin(part[i][r]);
      sums[i][r] += part[i][r];
    }
  }
}

// Starts the products of a step, of which the first `depth` elements along k count.
template <class C, class Sums>
TESSERA_DEVICE void multiply_step(Sums& sums, u32 operands, int first_row, int depth) {
  if constexpr (C::ragged_k) {
    multiply_some<C, C::k / step_k<C>>(sums, operands, first_row, depth);
  } else {
    multiply<C, C::k / step_k<C>>(sums, operands, first_row);
  }
}

// True if `rows` include rows of this consumer, which start at `first_row` of the tile.
template <class C>
TESSERA_DEVICE bool wants(const Rows& rows, int first_row) {
  bool wanted = false;
  for (int i = 0; i < C::m_pieces; ++i) wanted |= has_rows<C>(rows, first_row + i * warpgroup_rows);
  return wanted;
}

// Also for a tile without steps. If the first product started from 0 instead, the compiler would
// have two paths to the accumulators and spill them.
template <class C, class Sums>
TESSERA_DEVICE void clear(Sums& sums) {
#pragma unroll
  for (int i = 0; i < C::m_pieces; ++i) {
#pragma unroll
    for (int r = 0; r < C::n / 2; ++r) sums[i][r] = 0;
  }
}

// Waits for all products; the sums may be read afterwards.
template <class C, class Sums>
TESSERA_DEVICE void end_products(Sums& sums) {
  ptx::product_wait<0>();
#pragma unroll
  for (int i = 0; i < C::m_pieces; ++i) {
#pragma unroll
    for (int r = 0; r < C::n / 2; ++r) ptx::pin(sums[i][r]);
  }
}

// Alternating consumers start in the order of the tiles. A wait by parity only distinguishes a
// phase from the previous one, so no consumer may wait for a slot before it was filled for all
// earlier steps. number: index of the tile in this CTA.
template <class C>
TESSERA_DEVICE void wait_for_turn(u32 memory, int warpgroup, int number) {
  if (!C::alternate) return;
  const u32 round = static_cast<u32>(number / C::consumers);
  ptx::barrier_wait(turn_barrier<C>(memory, warpgroup), (round & 1) ^ (warpgroup == 0 ? 1 : 0));
}
template <class C>
TESSERA_DEVICE void pass_turn_on(u32 memory, int warpgroup) {
  if (!C::alternate) return;
  ptx::sync_warp();
  if (ptx::thread() % 32 == 0) ptx::barrier_arrive(turn_barrier<C>(memory, 1 - warpgroup));
}

// Skips the slots of a tile of the other consumer.
template <class C, class P, int slots>
TESSERA_DEVICE void skip(TurnSteps<C, P, Role::consumer>& steps, Ring<slots>& ring) {
  for (i64 s = steps.turn().begin; s < steps.turn().end; ++s) {
    if (steps.takes_slot(steps.depth(s), s)) ring.advance();
  }
}

template <class C, class P>
TESSERA_DEVICE void consume(const typename P::Args& p, const i64* arrays, u32 memory,
                            int warpgroup) {
  float sums[C::m_pieces][C::n / 2];
  const int first_row = C::alternate ? 0 : warpgroup * C::m_pieces * warpgroup_rows;
  Ring<C::stages> ring;
  Staging<C> staging(memory, warpgroup, first_row);
  Turns<C, P, Role::consumer> turns(p, arrays, memory);
  bool more = !turns.done();
  TurnSteps<C, P, Role::consumer> next(turns);
  if (more) next.begin();
  const auto find_next = [&] {
    turns.advance();
    more = !turns.done();
    if (more) next.begin();
  };
  for (int number = 0; more; ++number) {
    TurnSteps<C, P, Role::consumer> steps = next;
    const Turn<C, P>& turn = steps.turn();
    if (C::alternate && number % C::consumers != warpgroup) {
      skip(steps, ring);
      find_next();
      continue;
    }
    const Rows rows = turn.mine.rows;
    const bool wanted = wants<C>(rows, first_row);
    clear<C>(sums);
    wait_for_turn<C>(memory, warpgroup, number);
    int held = -1;  // slot with instructions in flight
    for (i64 s = turn.begin; s < turn.end; ++s) {
      const int depth = steps.depth(s);
      if (!steps.takes_slot(depth, s)) continue;
      const u32 operands = memory + ring.slot * SharedLayout<C>::stage_bytes;
      ptx::barrier_wait(full_barrier<C>(memory, ring.slot), ring.phase);
      if (C::ragged_k && depth != 0 && depth < C::k) zero_beyond<C>(operands, depth);
      if constexpr (C::operand_bytes == 1) {
        if (wanted && depth != 0) {
          multiply_and_add<C>(sums, memory, ring.slot, first_row);
        } else {
          release<C>(memory, ring.slot);
        }
      } else {
        if (wanted && depth != 0) {
          multiply_step<C>(sums, operands, first_row, depth);
          ptx::product_wait<1>();
        } else if (C::cluster > 1) {
          ptx::product_wait<0>();  // neighbour's slot: products of the held one may be running
        }
        if (held >= 0) release<C>(memory, held);
        held = ring.slot;
      }
      ring.advance();
    }
    pass_turn_on<C>(memory, warpgroup);
    find_next();  // overlaps the last products
    end_products<C>(sums);
    if (held >= 0) release<C>(memory, held);
    if (wanted) store_tile<C, P>(p, turn.mine.tile, rows, sums, staging);
  }
  staging.by_one([] { ptx::store_wait<0>(); });
}

}  // namespace tessera::cuda
