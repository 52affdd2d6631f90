// splitmix64 generator (Steele, Lea, Flood 2014): the only source of random operands, group sizes
// and schedules. Its values are the same with every compiler and library.
#pragma once
#include <cstdint>

namespace tessera {

class SplitMix {
 public:
  explicit constexpr SplitMix(std::uint64_t seed) : state_(seed) {}

  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

  constexpr std::uint64_t next() { return mix(state_ += golden); }
  // Returns a number, uniform in [0, n), n > 0: the high word of a product; the few biased values
  // are discarded, so a call may use several values of next().
  constexpr std::uint64_t below(std::uint64_t n) {
    for (;;) {
      const auto product = static_cast<unsigned __int128>(next()) * n;
      const auto low = static_cast<std::uint64_t>(product);
      if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
    }
  }
  // Returns a number in [0, 1), a multiple of 2^-53.
  constexpr double unit() { return unit(next()); }

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  static constexpr double unit(std::uint64_t word) {
    return static_cast<double>(word >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace tessera
