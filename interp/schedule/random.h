// Permutations chosen by a key, the same on every compiler and library.
#pragma once
#include <cstdint>

#include "core/data/splitmix.h"

namespace tessera {

// Element i of a permutation of [0, n) chosen by key, without storing it: a Feistel network on the
// next power of four, walked until it falls inside.
inline std::int64_t permuted(std::int64_t i, std::int64_t n, std::uint64_t key) {
  if (n < 2) return i;
  int half = 1;
  while ((std::int64_t{1} << (2 * half)) < n) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  auto x = static_cast<std::uint64_t>(i);
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = left ^ (SplitMix::mix(right ^ key ^ (round << 56)) & mask);
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= static_cast<std::uint64_t>(n));
  return static_cast<std::int64_t>(x);
}

}  // namespace tessera
