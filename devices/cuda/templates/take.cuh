// Selection of a CTA's next tile. Fixed: a constant stride, known from the start. Dynamic: the
// first tile that is not taken, which balances tiles of unequal length. The producer warp of the
// cluster's first CTA takes the numbers from a global counter, one ahead. It passes each number to
// the others through a ring of two slots in the shared memory of every CTA.
#pragma once
#include "devices/cuda/templates/order.cuh"
#include "devices/cuda/templates/ptx.cuh"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {

template <class C>
TESSERA_DEVICE int cluster_rank() {
  return C::cluster == 1 ? 0 : ptx::block() % C::cluster;
}

template <class C>
TESSERA_BOTH u32 number_word(u32 memory, int slot) {
  return memory + SharedLayout<C>::numbers + 4 * slot;
}
// Completed when the slot has a number.
template <class C>
TESSERA_BOTH u32 number_barrier(u32 memory, int slot) {
  return memory + SharedLayout<C>::barriers + 8 * (2 * C::stages + 2 + slot);
}
// Completed when all have read the slot; only used in the cluster's first CTA.
template <class C>
TESSERA_BOTH u32 read_barrier(u32 memory, int slot) {
  return number_barrier<C>(memory, 2 + slot);
}
// Arrivals: every consumer warp, and the producer warps of the other CTAs.
template <class C>
inline constexpr int read_arrivals = C::consumers * 4 * C::cluster + C::cluster - 1;

template <class C>
TESSERA_DEVICE void init_taking(u32 memory) {
  for (int slot = 0; slot < 2; ++slot) {
    ptx::barrier_init(number_barrier<C>(memory, slot), 1);
    ptx::barrier_init(read_barrier<C>(memory, slot), read_arrivals<C>);
  }
}

enum class Role { producer, consumer };

// Numbers of the tiles of this CTA (in a cluster: pairs of tiles), for one role.
template <class C, Role role>
struct Taking {
  u32* const counter;  // tiles taken after the first ones; then CTAs that are done
  const u32 memory;
  int next;
  int ahead = 0;  // producer of the first CTA: number after `next`
  Ring<2> ring;

  TESSERA_DEVICE Taking(u32* taken, u32 shared)
      : counter(taken), memory(shared), next(ptx::block() / C::cluster) {
    if constexpr (C::dynamic && role == Role::producer) {
      if (cluster_rank<C>() == 0) ahead = take();
    }
  }

  TESSERA_DEVICE void advance() {
    if constexpr (!C::dynamic) {
      next += ptx::blocks() / C::cluster;
    } else if (role == Role::producer && cluster_rank<C>() == 0) {
      hand_out();
    } else {
      receive();
    }
  }

 private:
  TESSERA_DEVICE static bool is_first_lane() { return ptx::thread() % 32 == 0; }

  TESSERA_DEVICE int take() {
    u32 number = 0;
    if (is_first_lane()) number = ptx::take_next(counter);
    return ptx::blocks() / C::cluster + ptx::from_lane(static_cast<int>(number), 0);
  }

  TESSERA_DEVICE void hand_out() {
    next = ahead;
    const u32 full = number_barrier<C>(memory, ring.slot), word = number_word<C>(memory, ring.slot);
    ptx::barrier_wait(read_barrier<C>(memory, ring.slot), ring.phase ^ 1);
    if (is_first_lane()) {
      ptx::store_shared_word(word, static_cast<u32>(next));
      ptx::barrier_arrive(full);
      for (int rank = 1; rank < C::cluster; ++rank) {
        ptx::store_shared_word_at(word, rank, static_cast<u32>(next));
        ptx::barrier_publish_at(full, rank);
      }
    }
    ahead = take();  // after the release, which would wait for it
    ring.advance();
  }

  TESSERA_DEVICE void receive() {
    const u32 full = number_barrier<C>(memory, ring.slot),
              read = read_barrier<C>(memory, ring.slot);
    if constexpr (C::cluster == 1) {
      ptx::barrier_wait(full, ring.phase);
    } else {
      ptx::barrier_wait_cluster(full, ring.phase);
    }
    next = static_cast<int>(ptx::load_shared_word(number_word<C>(memory, ring.slot)));
    ptx::sync_warp();
    if (is_first_lane()) {
      if constexpr (C::cluster == 1) {
        ptx::barrier_arrive(read);
      } else {
        ptx::barrier_arrive_at(read, 0);
      }
    }
    ring.advance();
  }
};

// Called by one thread of each CTA when it takes no more tiles. The last CTA resets the counter for
// the next launch.
template <class C>
TESSERA_DEVICE void end_taking(u32* counter) {
  if constexpr (C::dynamic) {
    ptx::fence_global();
    if (ptx::count_one(counter + 1) + 1 != static_cast<u32>(ptx::blocks())) return;
    ptx::fence_global();
    ptx::store_global(counter, 0);
    ptx::store_global(counter + 1, 0);
  }
}

}  // namespace tessera::cuda
