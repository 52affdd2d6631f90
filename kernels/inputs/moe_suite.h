// The 25 mixture-of-experts shapes by which grouped matmuls are measured.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

// gmm: out[T, N], rhs[G, K, N]; gmm_t: the same with rhs[G, N, K]; tgmm: out[G, K, N] of lhs[T, K]
// and rhs[T, N].
enum class MoeKind : std::uint8_t { gmm, gmm_t, tgmm };

struct MoeShape {
  std::string_view id;  // "S1"
  MoeKind kind;
  std::string_view description;
  std::int64_t groups, rows, k, n;
  std::string_view distribution;  // as generate_group_sizes takes it
  std::uint64_t seed;

  std::int64_t flops() const { return 2 * rows * k * n; }
  // Two-byte elements, every operand and result touched once; weights of empty groups are not read.
  std::int64_t min_bytes(std::int64_t nonempty_groups) const;
  std::vector<std::int64_t> group_sizes() const;
};

std::span<const MoeShape> moe_suite();

}  // namespace tessera
