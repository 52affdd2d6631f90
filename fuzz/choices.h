// Random choices of the fuzzer, determined by (seed, index).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/splitmix.h"

namespace tessera::fuzz {

class Choices {
 public:
  Choices(std::uint64_t seed, std::int64_t index)
      : random_(SplitMix::mix(seed) ^ static_cast<std::uint64_t>(index)) {}

  // Uniform in [lowest, highest]. Requires lowest <= highest.
  std::int64_t between(std::int64_t lowest, std::int64_t highest) {
    const auto count = static_cast<std::uint64_t>(highest - lowest + 1);
    return lowest + static_cast<std::int64_t>(random_.next() % count);
  }
  // True with a probability of `share` per cent.
  bool percent(std::int64_t share) { return between(0, 99) < share; }
  template <typename T, std::size_t N>
  T among(const std::array<T, N>& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(N) - 1))];
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  std::uint64_t word() { return random_.next(); }

  // Returns an extent in [1, highest], in 30 of 100 cases near the edges of tiles. highest: at
  // least 1.
  std::int64_t extent(std::int64_t highest) {
    constexpr std::array<std::int64_t, 10> edges = {1, 2, 7, 8, 9, 15, 16, 17, 32, 33};
    if (percent(30)) return std::min(among(edges), highest);
    return between(1, highest);
  }
  std::int64_t tile() {
    constexpr std::array<std::int64_t, 9> sides = {1, 3, 4, 8, 16, 24, 32, 64, 128};
    return among(sides);
  }

 private:
  SplitMix random_;
};

// Returns the text of a schedule of the interpreter, never of a replay; the first strategy (eager)
// in at least a third of the cases.
std::string draw_schedule(Choices& choices);

}  // namespace tessera::fuzz
