// Description of a grouped product: extents, groups, types and options, without data. The kernel's
// tiles are in kernel_config.h.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"

namespace tessera {

// gmm: a group is a range of rows, out[rows of g] = lhs[rows of g] . rhs[g], with lhs [m, k] and
// rhs [groups, k, n].
// tgmm: a group is a range of the contraction, out[g] = transpose(lhs[rows of g]) . rhs[rows of g],
// with lhs [m, k], rhs [m, n] and out [groups, k, n].
enum class GroupedKind : std::uint8_t { gmm, tgmm };
// "gmm", "tgmm".
constexpr std::string_view name(GroupedKind kind) {
  return kind == GroupedKind::gmm ? "gmm" : "tgmm";
}

// Treatment of the computed rows: they are added to the existing rows (in the accumulator's type,
// before the only rounding) or overwrite them. All other rows of the result keep their existing
// values.
enum class ExistingOut : std::uint8_t { Accumulate, Overwrite };
// "accumulate", "overwrite".
constexpr std::string_view name(ExistingOut mode) {
  return mode == ExistingOut::Accumulate ? "accumulate" : "overwrite";
}

// Precision of products, like JAX's matmul precision. The interpreter computes all three in f32 and
// adds a note to the report. A device rejects a precision that it does not support.
enum class Precision : std::uint8_t { Default, High, Highest };

// "default", "high", "highest".
constexpr std::string_view name(Precision precision) {
  return precision == Precision::High      ? "high"
         : precision == Precision::Highest ? "highest"
                                           : "default";
}

// Description of one grouped product.
struct GroupedDesc {
  // Meaning of a group: rows of the result, or of the contraction.
  GroupedKind kind = GroupedKind::gmm;
  // Extents as in GroupedKind: m is the number of rows of all groups.
  std::int64_t m = 0, k = 0, n = 0;
  // Number of rows of each group [groups], including groups that are not processed. The kernel
  // reads the sizes at run time. These are the actual sizes, or an estimate (expected_sizes) for
  // choosing a configuration.
  std::vector<std::int64_t> sizes;
  // Range of the processed groups: `local_groups` groups from `group_offset` on. rhs of gmm and out
  // of tgmm contain only these groups.
  std::int64_t group_offset = 0, local_groups = 0;
  // Row 0 of lhs is the first row of the first processed group, not of group 0.
  bool local_rows = false;
  // Element types of the operands and of the result.
  DType lhs = DType::bf16, rhs = DType::bf16, out = DType::f32;
  bool transpose_rhs = false;                // gmm: rhs is [groups, n, k]
  std::optional<ExistingOut> existing;       // none: no existing result
  Precision precision = Precision::Default;  // requested precision

  // Shorthands: true if `kind` is tgmm; number of all groups.
  bool is_tgmm() const { return kind == GroupedKind::tgmm; }
  std::int64_t groups() const { return static_cast<std::int64_t>(sizes.size()); }

  bool operator==(const GroupedDesc&) const = default;
};

// Returns an estimate of unknown group sizes [groups] with a sum of about m: each is about m /
// groups, with the spread that results if each row selects its group independently. Deterministic;
// empty if there are no groups.
std::vector<std::int64_t> expected_sizes(std::int64_t m, std::int64_t groups);
// Returns the description of a product that processes all groups, with sizes expected_sizes(m,
// groups), bf16 operands and an f32 result.
GroupedDesc grouped_desc(GroupedKind kind, std::int64_t m, std::int64_t k, std::int64_t n,
                         std::int64_t groups);

}  // namespace tessera
