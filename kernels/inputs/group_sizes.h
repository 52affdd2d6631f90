// Group sizes by the name of their distribution; the same sizes for the same seed on every machine.
#pragma once  // public
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

inline constexpr std::int64_t max_groups = std::int64_t{1} << 24;  // in a named distribution

// `uniform`, `multinomial`, `zipf:S`, `onehot`, `empty:P`, `jitter:P`, or the sizes themselves:
// `100,150,50`. A named distribution gives `groups` sizes that sum to `rows`; the time
// depends on `groups` only. Errors: a text that is none of these, sizes that do not fit `groups`
// and `rows`, more than max_groups groups or 2^40 rows, a size that does not fit i32.
//   uniform      as equal as whole numbers can be
//   jitter:P     weights 1 - P/100 + 2P/100 * unit(): the U(0.7, 1.3) of DeepGEMM is jitter:30
//   multinomial  every row picks a group, all equally likely
//   zipf:S       weights 1 / (i + 1)^S, permuted
//   onehot       all rows in group groups / 2
//   empty:P      P per cent of the groups empty, the others as jitter:30, permuted
Expected<std::vector<std::int64_t>> generate_group_sizes(std::string_view distribution,
                                                         std::int64_t groups, std::int64_t rows,
                                                         std::uint64_t seed);

// Whether the text is no such text, whatever the groups and rows are: an error says what is wrong.
Expected<void> check_group_sizes(std::string_view text);

// Whether the text is meant as a list of sizes such as `100,150,50`, not as the name of a
// distribution, and its sizes, at least 0 each; an error names what in it is no size.
bool is_group_size_list(std::string_view text);
Expected<std::vector<std::int64_t>> parse_group_sizes(std::string_view text);

}  // namespace tessera
