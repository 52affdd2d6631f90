// The program's scalar code before its pipeline. All threads of each CTA run it, on the CTA's own
// arrays.
#pragma once
#include "devices/cuda/templates/ptx.cuh"

namespace tessera::cuda {

// Checks counts after the first warp has summed them. A negative count is reported as -1 - (index *
// counted_operands + operand); a total that is too large, with the number of counts as its index.
// All sums are then set to 0, so that no tile is computed.
template <typename T>
TESSERA_DEVICE void refuse_counts(i64* sums, const T* values, i64 count, bool negative, i64 total,
                                  i64* error, int operand) {
  if (!ptx::any_lane(negative) && total <= max_coordinate) return;
  const int lane = ptx::thread();
  if (lane == 0) {
    i64 index = 0;
    while (index < count && static_cast<i64>(values[index]) >= 0) ++index;
    ptx::first_error(error, -1 - (index * counted_operands + operand));
  }
  ptx::sync_warp();
  for (i64 i = lane; i <= count; i += 32) sums[i] = 0;
}

// sums[0] = 0, sums[i + 1] = sums[i] + values[i]. Computed by the first warp, with a barrier before
// and after. operand: number of an operand that contains counts, or -1.
template <typename T>
TESSERA_DEVICE void prefix_sum(i64* sums, const T* values, i64 count, i64* error = nullptr,
                               int operand = -1) {
  ptx::sync_block();
  if (ptx::thread() < 32) {
    const int lane = ptx::thread();
    i64 carry = 0;
    bool negative = false;
    if (lane == 0) sums[0] = 0;
    for (i64 first = 0; first < count; first += 32) {
      i64 sum = first + lane < count ? static_cast<i64>(values[first + lane]) : 0;
      negative |= sum < 0;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const i64 below = ptx::from_lane_below(sum, distance);
        if (lane >= distance) sum += below;
      }
      if (first + lane < count) sums[first + lane + 1] = carry + sum;
      carry += ptx::from_lane(sum, 31);
    }
    if (operand >= 0) refuse_counts(sums, values, count, negative, carry, error, operand);
  }
  ptx::sync_block();
}

}  // namespace tessera::cuda
