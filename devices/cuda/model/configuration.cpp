#include "devices/cuda/model/configuration.h"

#include <algorithm>
#include <span>

#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {
namespace {

struct Tile {
  std::int64_t m, k, n;
  MachineHints hints = {};
};

constexpr MachineHints row_pairs{.pairing = Pairing::rows};
constexpr MachineHints column_pairs{.pairing = Pairing::columns};
constexpr MachineHints in_turn{.alternate = true};
constexpr MachineHints row_pairs_in_turn{.pairing = Pairing::rows, .alternate = true};

// For tiles of unequal length, which ragged groups have.
constexpr MachineHints dynamic{.dynamic = true};
constexpr MachineHints dynamic_row_pairs{.pairing = Pairing::rows, .dynamic = true};
constexpr MachineHints dynamic_column_pairs{.pairing = Pairing::columns, .dynamic = true};
constexpr MachineHints dynamic_in_turn{.alternate = true, .dynamic = true};

constexpr Tile gmm_tiles[] = {
    {128, 64, 256},
    {128, 64, 256, row_pairs},
    {256, 64, 128},
    {256, 64, 128, row_pairs},
    {128, 64, 192},
    {128, 64, 192, row_pairs},
    {128, 64, 128},
    {128, 64, 128, row_pairs},
    {64, 64, 256},
    {128, 64, 256, column_pairs},
    {128, 64, 256, {.pairing = Pairing::rows, .band = 16}},
    {128, 64, 128, in_turn},
    {128, 64, 128, row_pairs_in_turn},
    {64, 64, 256, in_turn},
    {64, 64, 256, row_pairs_in_turn},
    {128, 64, 256, dynamic},
    {128, 64, 256, dynamic_row_pairs},
    {128, 64, 256, dynamic_column_pairs},
    {256, 64, 128, dynamic},
    {128, 64, 192, dynamic},
    {128, 64, 128, dynamic_in_turn},
    {64, 64, 256, dynamic_in_turn},
    // Few rows per group: the weights are the rows of the instructions and are read only once.
    {8, 64, 128, {.right = Eviction::first}},
    {16, 64, 128, {.right = Eviction::first}},
    {24, 64, 128, {.right = Eviction::first}},
    {32, 64, 128, {.right = Eviction::first}},
    {48, 64, 128, {.right = Eviction::first}},
};

// One-byte elements: sums with partial sums take twice the registers, and a step has 128 elements.
constexpr Tile gmm_fp8_tiles[] = {
    {128, 128, 128},
    {128, 128, 128, row_pairs},
    {128, 128, 128, dynamic},
    {128, 128, 128, dynamic_row_pairs},
    {128, 128, 128, dynamic_column_pairs},
    {128, 128, 192},
    {128, 128, 192, dynamic},
    {64, 128, 128, in_turn},
    {64, 128, 128, dynamic_in_turn},
    {64, 128, 192, in_turn},
    {8, 128, 128, {.right = Eviction::first}},
    {16, 128, 128, {.right = Eviction::first}},
    {24, 128, 128, {.right = Eviction::first}},
    {32, 128, 128, {.right = Eviction::first}},
};

// The contraction runs along the rows: m is its step.
constexpr Tile tgmm_tiles[] = {
    {64, 128, 256},
    {64, 128, 256, row_pairs},
    {64, 256, 128},
    {64, 256, 128, row_pairs},
    {64, 128, 128},
    {64, 128, 128, row_pairs},
    {64, 128, 256, column_pairs},
    {64, 128, 128, in_turn},
    {64, 128, 128, row_pairs_in_turn},
    {64, 128, 256, dynamic},
    {64, 128, 256, dynamic_row_pairs},
    {64, 256, 128, dynamic_row_pairs},
    {64, 128, 128, dynamic_in_turn},
};

// Max number of buffers that fit, up to eight.
std::int64_t buffers_for(const SharedShape& shape) {
  constexpr int arrays = 2048;  // bytes for scalar arrays: sums of the sizes of 255 groups
  return std::min(max_stages(shape, arrays), 8);
}

KernelConfig gmm_of(const Tile& t, int operand_bytes) {
  if (t.m < 64) return {{t.m, t.k, t.n}, 8, 1, t.hints};
  const int consumers = t.m == 64 && !t.hints.alternate ? 1 : 2;
  return {{t.m, t.k, t.n},
          buffers_for({.m = static_cast<int>(t.m),
                       .n = static_cast<int>(t.n),
                       .k = static_cast<int>(t.k),
                       .operand_bytes = operand_bytes,
                       .consumers = consumers,
                       .dynamic = t.hints.dynamic}),
          1,
          t.hints};
}

KernelConfig tgmm_of(const Tile& t) {
  return {{t.m, t.k, t.n},
          buffers_for({.m = static_cast<int>(t.k),
                       .n = static_cast<int>(t.n),
                       .k = static_cast<int>(t.m),
                       .operand_bytes = 2,
                       .consumers = 2,
                       .dynamic = t.hints.dynamic}),
          {},
          t.hints};
}

}  // namespace

std::vector<KernelConfig> gmm_candidates(int operand_bytes) {
  std::vector<KernelConfig> all;
  for (const Tile& tile : operand_bytes == 1 ? std::span<const Tile>(gmm_fp8_tiles) : gmm_tiles)
    all.push_back(gmm_of(tile, operand_bytes));
  return all;
}

std::vector<KernelConfig> tgmm_candidates() {
  std::vector<KernelConfig> all;
  for (const Tile& tile : tgmm_tiles) all.push_back(tgmm_of(tile));
  return all;
}

}  // namespace tessera::cuda
