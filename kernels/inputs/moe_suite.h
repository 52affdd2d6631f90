// The 25 mixture-of-experts shapes by which grouped matmuls are measured.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "core/kernel/grouped_desc.h"

namespace tessera {

struct MoeShape {
  std::string_view id;  // "S1"
  std::string_view description;
  GroupedDesc product;            // of all its groups, bf16 throughout
  std::string_view distribution;  // of the product's sizes, as generate_group_sizes takes it
  std::uint64_t seed;             // of them

  std::int64_t flops() const { return 2 * product.m * product.k * product.n; }
  // Two-byte elements, every operand and result touched once; weights of empty groups are not read.
  std::int64_t min_bytes(std::int64_t nonempty_groups) const;
};

// In the order of their numbers; made on the first call.
std::span<const MoeShape> moe_suite();

}  // namespace tessera
