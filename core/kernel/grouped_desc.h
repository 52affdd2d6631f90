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
// "gmm", "tgmm".
constexpr std::string_view name(GroupedKind kind) {
  return kind == GroupedKind::gmm ? "gmm" : "tgmm";
}

// What happens to the rows that are computed: added to the existing ones (in the accumulator's
// type, before the one rounding), or put in their place. All other rows of the result are the
// existing ones.
enum class ExistingOut : std::uint8_t { Accumulate, Overwrite };
// "accumulate", "overwrite".
constexpr std::string_view name(ExistingOut mode) {
  return mode == ExistingOut::Accumulate ? "accumulate" : "overwrite";
}

// How exactly products are multiplied, as JAX's matmul precision. The interpreter computes all
// three in f32 and says so in the report's notes; a device that cannot honour one refuses.
enum class Precision : std::uint8_t { Default, High, Highest };

// "default", "high", "highest".
constexpr std::string_view name(Precision precision) {
  return precision == Precision::High      ? "high"
         : precision == Precision::Highest ? "highest"
                                           : "default";
}

// One grouped product.
struct GroupedDesc {
  // What is a group: rows of the result, or of the contraction.
  GroupedKind kind = GroupedKind::gmm;
  // Extents as in GroupedKind: m rows of all groups, k and n as there.
  std::int64_t m = 0, k = 0, n = 0;
  // Rows of each group, of all groups [groups]. A kernel reads them where they lie when it runs;
  // these are the actual ones, or an estimate (expected_sizes) by which a configuration is chosen.
  std::vector<std::int64_t> sizes;
  // The processed groups: `local_groups` of them from `group_offset` on. rhs of gmm and out of tgmm
  // hold these alone.
  std::int64_t group_offset = 0, local_groups = 0;
  bool local_rows = false;  // row 0 of lhs is the first processed group's, not group 0's
  // Element types of the operands and of the result.
  DType lhs = DType::bf16, rhs = DType::bf16, out = DType::f32;
  bool transpose_rhs = false;                // gmm: rhs is [groups, n, k]
  std::optional<ExistingOut> existing;       // none: there is no existing result
  Precision precision = Precision::Default;  // as the caller wants it

  // Shorthands: whether `kind` is tgmm, and the length of `sizes`.
  bool is_tgmm() const { return kind == GroupedKind::tgmm; }
  std::int64_t groups() const { return static_cast<std::int64_t>(sizes.size()); }

  bool operator==(const GroupedDesc&) const = default;
};

// An estimate of unknown group sizes [groups] that sum to m: about m / groups each, spread as they
// are where each row picks its group by itself.
std::vector<std::int64_t> expected_sizes(std::int64_t m, std::int64_t groups);
// A product that processes all of its groups, with expected_sizes(m, groups); bf16 in, f32 out.
GroupedDesc grouped_desc(GroupedKind kind, std::int64_t m, std::int64_t k, std::int64_t n,
                         std::int64_t groups);

}  // namespace tessera
