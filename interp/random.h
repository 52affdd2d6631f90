// Our own random numbers: the same on every compiler and library.
#pragma once
#include <cstdint>

namespace tessera {

// splitmix64 (Steele, Lea, Flood 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return scramble(state_ += 0x9E3779B97F4A7C15ULL); }
  // Uniform in [0, n), n > 0: the high word of a product, with the few biased draws thrown away.
  std::uint64_t below(std::uint64_t n) {
    for (;;) {
      const auto product = static_cast<unsigned __int128>(next()) * n;
      const auto low = static_cast<std::uint64_t>(product);
      if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
    }
  }
  static std::uint64_t scramble(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

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
      const std::uint64_t mixed = left ^ (SplitMix::scramble(right ^ key ^ (round << 56)) & mask);
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= static_cast<std::uint64_t>(n));
  return static_cast<std::int64_t>(x);
}

}  // namespace tessera
