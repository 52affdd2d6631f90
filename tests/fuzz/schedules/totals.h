// What a run of the comparison has seen, and the differences that it prints.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "tests/fuzz/schedules/protocol_net.h"

namespace tessera::fuzz {

struct Totals {
  std::int64_t programs = 0, skipped = 0, races = 0, racy = 0, sums = 0, deadlocks = 0, leaves = 0,
               configurations = 0, differences = 0;
  std::int64_t scopes = 0;
  std::int64_t asked_again = 0;  // programs without a race, in whose planned run there is one
  // Of parallel loops: of those that were compared how many may come in any order, in any split,
  // and why the others may not.
  std::int64_t loops = 0, any_order = 0, any_split = 0, point_races = 0, reads_before = 0,
               undefined = 0, waits = 0, needs = 0, outside = 0, stops = 0, undecided = 0;

  std::uint64_t printed = 0;  // seed of the last program whose text was

  void differ(const ProtocolNet& net, std::uint64_t seed, std::string_view how,
              const std::string& what) {
    if (++differences > 20) return;
    if (std::exchange(printed, seed) != seed) fmt::print("{}\n", net.text);
    fmt::print("seed {}, {}: {}\n", seed, how, what);
    std::fflush(stdout);
  }
};

}  // namespace tessera::fuzz
