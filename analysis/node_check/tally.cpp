#include "analysis/node_check/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/report/check.h"

namespace tessera::graph {
void Tally::add(const Tally& other) {
  compared += other.compared;
  same += other.same;
  within += other.within;
  differ += other.differ;
  if (unbounded == 0) why = other.why;
  unbounded += other.unbounded;
  if (other.first >= 0) first = first < 0 ? other.first : std::min(first, other.first);
}

std::string packed(const Tally& tally) {
  return fmt::format("{} {} {} {} {} {} {} {}", tally.nodes, tally.compared, tally.same,
                     tally.within, tally.unbounded, tally.differ, tally.first, tally.why);
}

Tally tally_of(std::string_view packed) {
  const std::string text(packed);
  Tally tally;
  int read = 0;
  CHECK(std::sscanf(text.c_str(), "%ld %ld %ld %ld %ld %ld %d %n", &tally.nodes, &tally.compared,
                    &tally.same, &tally.within, &tally.unbounded, &tally.differ, &tally.first,
                    &read) == 7);
  tally.why = text.substr(static_cast<std::size_t>(read));
  return tally;
}

}  // namespace tessera::graph
