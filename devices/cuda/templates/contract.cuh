// The kernel: one CTA per multiprocessor, a producer warpgroup and one or two consumers, for any
// pipeline that adds products of its windows and stores a function of the sums.
#pragma once
#include "devices/cuda/templates/consume.cuh"
#include "devices/cuda/templates/prepare.cuh"

namespace tessera::cuda {

template <class C, class P>
TESSERA_DEVICE void contract(const typename P::Args& p) {
  using Layout = SharedLayout<C>;
  unsigned char* const shared = ptx::shared_memory();
  const u32 memory = ptx::address(shared);
  i64* const arrays = p.arrays != nullptr ? p.arrays + ptx::block() * p.array_elements
                                          : reinterpret_cast<i64*>(shared + Layout::arrays);
  if (ptx::thread() == 0) {
    ptx::prefetch_map(&p.left);
    ptx::prefetch_map(&p.right);
    ptx::prefetch_map(&p.result_map);
    for (int slot = 0; slot < C::stages; ++slot) {
      ptx::barrier_init(full_barrier<C>(memory, slot), 1);
      ptx::barrier_init(empty_barrier<C>(memory, slot), empty_arrivals<C>);
    }
    for (int i = 0; i < 2; ++i) ptx::barrier_init(turn_barrier<C>(memory, i), 4);
    if constexpr (C::dynamic) init_taking<C>(memory);
    ptx::barrier_init_fence();
  }
  if (!P::prepare(p, arrays)) return;  // all CTAs return the same
  ptx::sync_block();
  if constexpr (C::cluster > 1) ptx::sync_cluster();  // the other CTA's barriers are initialised
  const int warpgroup = ptx::thread() / 128;
  if (warpgroup == 0) {
    if constexpr (C::consumers == 2) ptx::fewer_registers<C::producer_registers>();
    if (ptx::warp() == 0) {
      produce<C, P>(p, arrays, memory);
      if (ptx::thread() == 0) end_taking<C>(p.taken);
    }
  } else {
    if constexpr (C::consumers == 2) ptx::more_registers<C::consumer_registers>();
    consume<C, P>(p, arrays, memory, warpgroup - 1);
  }
  if constexpr (C::cluster > 1) ptx::sync_cluster();  // nobody reaches a block that has left
}

}  // namespace tessera::cuda
