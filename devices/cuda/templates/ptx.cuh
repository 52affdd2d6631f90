// The instructions that the templates use, one function each. The host emulation (tests/cuda) has
// the same functions, so all instructions of the templates must be in this file.
#pragma once
#include "devices/cuda/templates/base.cuh"

#ifndef TESSERA_EMULATED

namespace tessera::cuda::ptx {

TESSERA_DEVICE unsigned char* shared_memory() {
  extern __shared__ __align__(1024) unsigned char memory[];
  return memory;
}
TESSERA_DEVICE u32 address(const void* shared) {
  return static_cast<u32>(__cvta_generic_to_shared(shared));
}
TESSERA_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
TESSERA_DEVICE int block() { return static_cast<int>(blockIdx.x); }
TESSERA_DEVICE int blocks() { return static_cast<int>(gridDim.x); }
TESSERA_DEVICE void sync_block() { __syncthreads(); }
// True if `value` is true for any thread of the CTA; a barrier for all of them.
TESSERA_DEVICE bool any_of_block(bool value) { return __syncthreads_or(value ? 1 : 0) != 0; }
// Barrier for all threads of the cluster, also in diverged warps; makes earlier writes visible.
TESSERA_DEVICE void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
TESSERA_DEVICE void sync_warp() { __syncwarp(); }
// True for one lane; all lanes of the warp must call it. The compiler knows that it is one lane, so
// arguments of copies are uniform and need no loop over lanes.
TESSERA_DEVICE bool elect_one() {
  u32 elected;
  asm volatile(
      "{\n.reg .pred p;\n"
      "elect.sync _|p, 0xFFFFFFFF;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(elected));
  return elected != 0;
}
// Index of this warp in its CTA, known to be uniform.
TESSERA_DEVICE int warp() { return __shfl_sync(0xFFFFFFFFu, thread() / 32, 0); }
TESSERA_DEVICE i64 from_lane_below(i64 value, int distance) {
  return __shfl_up_sync(0xFFFFFFFFu, value, static_cast<unsigned>(distance));
}
TESSERA_DEVICE i64 from_lane(i64 value, int lane) { return __shfl_sync(0xFFFFFFFFu, value, lane); }
TESSERA_DEVICE int from_lane(int value, int lane) { return __shfl_sync(0xFFFFFFFFu, value, lane); }
TESSERA_DEVICE bool any_lane(bool value) { return __any_sync(0xFFFFFFFFu, value) != 0; }

// `id` and `threads` are immediates: a barrier number in a register reserves all sixteen.
template <int id, int threads>
TESSERA_DEVICE void named_barrier() {
  asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
}
template <int count>
TESSERA_DEVICE void more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
TESSERA_DEVICE void fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

// Transaction barriers.
TESSERA_DEVICE void barrier_init(u32 barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// After the inits, before the barriers are used by other threads or copies.
TESSERA_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
TESSERA_DEVICE void barrier_arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives at the same barrier in the cluster's CTA `rank`: this warp has read data that the other
// CTA may now overwrite. Does not publish writes: a release to the cluster would be a fence of the
// whole GPU, and this call is in the innermost loop.
TESSERA_DEVICE void barrier_arrive_at(u32 barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
// Like barrier_arrive_at, but earlier writes of this thread become visible to threads that wait
// with barrier_wait_cluster.
TESSERA_DEVICE void barrier_publish_at(u32 barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
TESSERA_DEVICE void barrier_expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
TESSERA_DEVICE bool barrier_try(u32 barrier, u32 parity) {
  u32 done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}
TESSERA_DEVICE void barrier_wait(u32 barrier, u32 parity) {
  while (!barrier_try(barrier, parity)) {
  }
}
// Waits so that writes of another CTA are visible.
TESSERA_DEVICE void barrier_wait_cluster(u32 barrier, u32 parity) {
  u32 done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

// L2 eviction policy for the lines that a copy reads.
enum class Evict { normal, first, last };
template <Evict evict>
TESSERA_DEVICE u64 policy() {
  u64 made;
  if constexpr (evict == Evict::first) {
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(made));
  } else if constexpr (evict == Evict::last) {
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(made));
  } else {
    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(made));
  }
  return made;
}

// Copies a box between global and shared memory; innermost coordinate first. `blocks` > 1: to the
// same address in that many CTAs of the cluster; the barrier of each counts the bytes.
#define TESSERA_LOAD "cp.async.bulk.tensor."
#define TESSERA_LOAD_HOW "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
template <int rank, int blocks = 1>
TESSERA_DEVICE void load_box(u32 to, const TensorMap* map, u32 barrier, const int (&at)[rank],
                             u64 policy) {
  static_assert((rank == 2 || rank == 3) && (blocks == 1 || blocks == 2));
  if constexpr (rank == 2 && blocks == 1) {
    asm volatile(TESSERA_LOAD "2" TESSERA_LOAD_HOW
                              ".L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(at[0]), "r"(at[1]), "l"(policy)
                 : "memory");
  } else if constexpr (rank == 3 && blocks == 1) {
    asm volatile(TESSERA_LOAD "3" TESSERA_LOAD_HOW
                              ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "l"(policy)
                 : "memory");
  } else if constexpr (rank == 2) {
    asm volatile(TESSERA_LOAD
                 "2" TESSERA_LOAD_HOW
                 ".multicast::cluster.L2::cache_hint [%0], [%1, {%4, %5}], [%2], %3, %6;" ::"r"(to),
                 "l"(map), "r"(barrier), "h"(static_cast<unsigned short>(3)), "r"(at[0]),
                 "r"(at[1]), "l"(policy)
                 : "memory");
  } else {
    asm volatile(
        TESSERA_LOAD
        "3" TESSERA_LOAD_HOW
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%4, %5, %6}], [%2], %3, %7;" ::"r"(to),
        "l"(map), "r"(barrier), "h"(static_cast<unsigned short>(3)), "r"(at[0]), "r"(at[1]),
        "r"(at[2]), "l"(policy)
        : "memory");
  }
}
#undef TESSERA_LOAD
#undef TESSERA_LOAD_HOW
template <int rank>
TESSERA_DEVICE void store_box(const TensorMap* map, u32 from, const int (&at)[rank]) {
  static_assert(rank == 2 || rank == 3);
  if constexpr (rank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
            map),
        "r"(from), "r"(at[0]), "r"(at[1])
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::
            "l"(map),
        "r"(from), "r"(at[0]), "r"(at[1]), "r"(at[2])
        : "memory");
  }
}
TESSERA_DEVICE void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Waits until all but the newest `pending` groups have read shared memory.
template <int pending>
TESSERA_DEVICE void store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
template <int pending>
TESSERA_DEVICE void store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}
TESSERA_DEVICE void prefetch_map(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// Makes this thread's writes to shared memory visible to later copies and matrix instructions.
TESSERA_DEVICE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Matrix instructions of a warpgroup; the products themselves are in the generated wgmma.cuh.
TESSERA_DEVICE void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
TESSERA_DEVICE void product_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
TESSERA_DEVICE void product_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// Keeps uses of an accumulator after the wait for it.
TESSERA_DEVICE void pin(float& value) { asm volatile("" : "+f"(value)::"memory"); }

// Accesses to shared and global memory of at most 16 bytes.
struct Bytes16 {
  u32 word[4];
};
TESSERA_DEVICE void store_matrices(u32 to, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a),
               "r"(b), "r"(c), "r"(d)
               : "memory");
}
TESSERA_DEVICE void store_matrices_transposed(u32 to, u32 a, u32 b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a),
               "r"(b)
               : "memory");
}
TESSERA_DEVICE void store_shared(u32 to, float a) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(a) : "memory");
}
TESSERA_DEVICE void store_shared(u32 to, float a, float b) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(a), "f"(b) : "memory");
}
TESSERA_DEVICE void zero_shared(u32 to) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(0) : "memory");
}
TESSERA_DEVICE Bytes16 load_shared(u32 from) {
  Bytes16 x;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.word[0]), "=r"(x.word[1]), "=r"(x.word[2]), "=r"(x.word[3])
               : "r"(from)
               : "memory");
  return x;
}
TESSERA_DEVICE void store_global(void* to, const Bytes16& x) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.word[0]), "r"(x.word[1]),
               "r"(x.word[2]), "r"(x.word[3])
               : "memory");
}
TESSERA_DEVICE void store_shared_word(u32 to, u32 value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
}
// Stores to the same address in the cluster's CTA `rank`.
TESSERA_DEVICE void store_shared_word_at(u32 to, int rank, u32 value) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "st.shared::cluster.u32 [remote], %2;\n}" ::"r"(to),
      "r"(rank), "r"(value)
      : "memory");
}
TESSERA_DEVICE u32 load_shared_word(u32 from) {
  u32 x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
  return x;
}
// Adds one to the counter and returns its old value: a unique number, or the number of earlier
// calls.
TESSERA_DEVICE u32 take_next(u32* counter) { return atomicAdd(counter, 1u); }
TESSERA_DEVICE u32 count_one(u32* counter) { return atomicAdd(counter, 1u); }
TESSERA_DEVICE void store_global(u32* to, u32 value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
// Orders this thread's earlier accesses to global memory before its later ones.
TESSERA_DEVICE void fence_global() { __threadfence(); }
TESSERA_DEVICE void first_error(i64* at, i64 value) {
  atomicCAS(reinterpret_cast<u64*>(at), 0ull, static_cast<u64>(value));
}

// Two floats rounded to nearest even; `low` in the lower half.
TESSERA_DEVICE u32 pack_bf16(float low, float high) {
  u32 x;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
  return x;
}
TESSERA_DEVICE u32 pack_f16(float low, float high) {
  u32 x;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
  return x;
}
// Loads the value, or returns 0. Without a branch before the load, so several loads can be in
// flight. Only for memory that the kernel does not write before.
TESSERA_DEVICE float load_if(bool is_there, const float* at) {
  float x;
  asm("{\n.reg .pred is_there;\n"
      "setp.ne.b32 is_there, %1, 0;\n"
      "mov.f32 %0, 0f00000000;\n"
      "@is_there ld.global.f32 %0, [%2];\n}"
      : "=f"(x)
      : "r"(static_cast<int>(is_there)), "l"(at));
  return x;
}
TESSERA_DEVICE unsigned short load_if(bool is_there, const unsigned short* at) {
  unsigned short x;
  asm("{\n.reg .pred is_there;\n"
      "setp.ne.b32 is_there, %1, 0;\n"
      "mov.b16 %0, 0;\n"
      "@is_there ld.global.u16 %0, [%2];\n}"
      : "=h"(x)
      : "r"(static_cast<int>(is_there)), "l"(at));
  return x;
}
TESSERA_DEVICE float bits_to_float(u32 bits) { return __uint_as_float(bits); }
TESSERA_DEVICE u32 float_to_bits(float x) { return __float_as_uint(x); }
TESSERA_DEVICE float f16_to_float(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

}  // namespace tessera::cuda::ptx

#endif
