// How many of a number of rows pick each of several equally likely groups.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/splitmix.h"

namespace tessera {

// Rows of each group, which sum to `rows`. The time depends on the number of groups only: up to
// 2^20 rows pick a group each, and a larger number of rows is split between two halves of the
// groups by a binomial number.
std::vector<std::int64_t> multinomial(std::size_t groups, std::int64_t rows, SplitMix& random);

// Number of successes in `trials` trials, each with probability p. Requires 0 < p <= 0.5 and
// trials * p >= 10. Algorithm BTRS (transformed rejection with squeeze): W. Hoermann, "The
// generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993.
std::int64_t binomial(std::int64_t trials, double p, SplitMix& random);

}  // namespace tessera
