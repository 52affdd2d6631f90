#include "core/kernel/grouped_desc.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {

std::vector<std::int64_t> expected_sizes(std::int64_t m, std::int64_t groups) {
  const auto mean = static_cast<double>(m) / static_cast<double>(std::max<std::int64_t>(groups, 1));
  constexpr std::array deviations{0.0, -1.0, 1.0, -0.5, 0.5};
  std::vector<std::int64_t> sizes;
  sizes.reserve(static_cast<std::size_t>(std::max<std::int64_t>(groups, 0)));
  for (std::int64_t g = 0; g < groups; ++g) {
    const double at = deviations[static_cast<std::size_t>(g) % deviations.size()];
    sizes.push_back(
        std::max<std::int64_t>(0, std::llround(mean + (groups > 1 ? at * std::sqrt(mean) : 0))));
  }
  return sizes;
}

GroupedDesc grouped_desc(GroupedKind kind, std::int64_t m, std::int64_t k, std::int64_t n,
                         std::int64_t groups) {
  GroupedDesc desc;
  desc.kind = kind;
  desc.m = m;
  desc.k = k;
  desc.n = n;
  desc.sizes = expected_sizes(m, groups);
  desc.local_groups = groups;
  return desc;
}

}  // namespace tessera
