// The 25 mixture-of-experts shapes for measurements of grouped matmuls.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "core/kernel/grouped_desc.h"

namespace tessera {

struct MoeShape {
  std::string_view id;  // "S1"
  std::string_view description;
  GroupedDesc product;            // product of all groups, bf16 throughout
  std::string_view distribution;  // of the product's sizes, for generate_group_sizes
  std::uint64_t seed;             // of the sizes

  std::int64_t flops() const { return 2 * product.m * product.k * product.n; }
  // Minimum traffic in bytes: two-byte elements, every operand and result accessed once; weights of
  // empty groups are not read. nonempty_groups: groups with rows; not used for tgmm, which writes
  // the blocks of all groups.
  std::int64_t min_bytes(std::int64_t nonempty_groups) const;
};

// Returns the shapes in the order of their numbers. Created by the first call and never freed.
std::span<const MoeShape> moe_suite();

}  // namespace tessera
