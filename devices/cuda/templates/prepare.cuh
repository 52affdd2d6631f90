// The program's scalar code before its pipeline, run by all threads of every block on arrays of its
// own.
#pragma once
#include "devices/cuda/templates/ptx.cuh"

namespace tessera::cuda {

// sums[0] = 0, sums[i + 1] = sums[i] + values[i]; by the first warp. Both ends are synchronised.
template <typename T>
TESSERA_DEVICE void prefix_sum(i64* sums, const T* values, i64 count) {
  ptx::sync_block();
  if (ptx::thread() < 32) {
    const int lane = ptx::thread();
    i64 carry = 0;
    if (lane == 0) sums[0] = 0;
    for (i64 first = 0; first < count; first += 32) {
      i64 sum = first + lane < count ? static_cast<i64>(values[first + lane]) : 0;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const i64 below = ptx::from_lane_below(sum, distance);
        if (lane >= distance) sum += below;
      }
      if (first + lane < count) sums[first + lane + 1] = carry + sum;
      carry += ptx::from_lane(sum, 31);
    }
  }
  ptx::sync_block();
}

}  // namespace tessera::cuda
