// Multinomial distribution of rows over equally likely groups.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/splitmix.h"

namespace tessera {

// Returns the rows of each group, which sum to `rows`. The time depends only on the number of
// groups: up to 2^20 rows select their groups one by one, and a larger number is split between two
// halves of the groups by a binomial number. groups: at least 1. Throws Interrupted
// (core/report/stop.h) if a stop is requested.
std::vector<std::int64_t> multinomial(std::size_t groups, std::int64_t rows, SplitMix& random);

// Returns the number of successes in `trials` trials with probability p each. Requires 0 < p <= 0.5
// and trials * p >= 10. Algorithm BTRS (transformed rejection with squeeze): W. Hoermann, "The
// generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993.
std::int64_t binomial(std::int64_t trials, double p, SplitMix& random);

}  // namespace tessera
