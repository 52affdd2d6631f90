// What a grouped product computes: its extents, groups, types and options. No data, and nothing of
// how a kernel is cut (kernel_config.h).
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"

namespace tessera {

// gmm: groups are rows, out[rows of g] = lhs[rows of g] . rhs[g], with lhs [m, k] and rhs [groups,
// k, n]. tgmm: groups lie along the contraction, out[g] = transpose(lhs[rows of g]) . rhs[rows of
// g], with lhs [m, k], rhs [m, n] and out [groups, k, n].
enum class GroupedKind : std::uint8_t { gmm, tgmm };

// What happens to the rows that are computed: added to the existing ones (in the accumulator's
// type, before the one rounding), or put in their place. All other rows of the result are the
// existing ones.
enum class ExistingOut : std::uint8_t { Accumulate, Overwrite };

// The interpreter computes all three in f32 and says so; a device that cannot honour one refuses.
enum class Precision : std::uint8_t { Default, High, Highest };

constexpr std::string_view name(Precision precision) {
  return precision == Precision::High      ? "high"
         : precision == Precision::Highest ? "highest"
                                           : "default";
}

struct GroupedDesc {
  GroupedKind kind = GroupedKind::gmm;
  std::int64_t m = 0, k = 0, n = 0;
  // Rows of each group, of all groups. A kernel reads them where they lie when it runs; these are
  // the ones that are there, or those to reckon with (expected_sizes).
  std::vector<std::int64_t> sizes;
  // The processed groups: so many (rhs of gmm and out of tgmm hold these alone) from the offset on.
  std::int64_t group_offset = 0, local_groups = 0;
  bool local_rows = false;  // row 0 of lhs is the first processed group's, not group 0's
  DType lhs = DType::bf16, rhs = DType::bf16, out = DType::f32;
  bool transpose_rhs = false;  // gmm: rhs is [groups, n, k]
  std::optional<ExistingOut> existing;
  Precision precision = Precision::Default;

  bool is_tgmm() const { return kind == GroupedKind::tgmm; }
  std::int64_t groups() const { return static_cast<std::int64_t>(sizes.size()); }

  bool operator==(const GroupedDesc&) const = default;
};

// Sizes that nobody knows yet: about m / groups rows each, spread as independent rows are.
std::vector<std::int64_t> expected_sizes(std::int64_t m, std::int64_t groups);
// A product of all of so many groups, with expected sizes.
GroupedDesc grouped_desc(GroupedKind kind, std::int64_t m, std::int64_t k, std::int64_t n,
                         std::int64_t groups);

}  // namespace tessera
