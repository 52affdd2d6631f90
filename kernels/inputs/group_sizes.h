// Group sizes of a named distribution. The same seed gives the same sizes on every machine.
#pragma once  // public
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

inline constexpr std::int64_t max_groups = std::int64_t{1} << 24;  // for a named distribution

// Returns group sizes. distribution: `uniform`, `multinomial`, `zipf:S`, `onehot`, `empty:P`,
// `jitter:P`, or a list of sizes: `100,150,50`. A list is returned unchanged; its number and sum
// are not compared with `groups` and `rows`. A named distribution gives `groups` sizes that sum to
// `rows`; its time depends only on `groups`. Fails for other texts and a size that does not fit
// into i32; a named distribution also unless there are 1 .. max_groups groups and 0 .. 2^40 rows,
// and if all groups are empty but there are rows. Throws Interrupted (core/report/stop.h) if a stop
// is requested.
//   uniform      as equal as integers can be
//   jitter:P     weights 1 - P/100 + 2P/100 * unit(): the U(0.7, 1.3) of DeepGEMM is jitter:30
//   multinomial  every row selects a group, all equally likely
//   zipf:S       weights 1 / (i + 1)^S, permuted
//   onehot       all rows in group groups / 2
//   empty:P      P per cent of the groups empty, the others like jitter:30, permuted
Expected<std::vector<std::int64_t>> generate_group_sizes(std::string_view distribution,
                                                         std::int64_t groups, std::int64_t rows,
                                                         std::uint64_t seed);

// Checks whether generate_group_sizes could accept the text for some groups and rows.
Expected<void> check_group_sizes(std::string_view text);

// is_group_size_list: true if the text is a list of sizes such as `100,150,50`, not the name of a
// distribution. parse_group_sizes: returns the sizes, at least 0 each. Fails with the entry that is
// not a size or does not fit into i32.
bool is_group_size_list(std::string_view text);
Expected<std::vector<std::int64_t>> parse_group_sizes(std::string_view text);

}  // namespace tessera
