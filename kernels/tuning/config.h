// How a grouped matmul is cut and where it runs: what a caller gives, a tuner finds and a cache
// keeps. The fields and defaults are those of ejKernel's GroupedMatmulConfig.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/machine/machine_hints.h"
#include "core/machine/tiling.h"
#include "core/report/expected.h"
#include "kernels/operation/platform.h"

namespace tessera {

struct GroupedMatmulConfig {
  Platform platform = Platform::Auto;
  Backend backend = Backend::Any;
  std::int64_t block_m = 128, block_n = 128, block_k = 128;
  std::int64_t num_warps = 4;   // our kernels take theirs from the tile: other values are refused
  std::int64_t num_stages = 2;  // slots of each input window
  bool bypass_xla_tiling = false;  // of XLA's implementation: true is refused by ours
  // Beyond ejKernel's fields.
  std::optional<std::int64_t> align;  // gmm: GroupedMatmulOptions::align
  MachineHints hints;                 // on a GPU; refused elsewhere

  Tiling tiling() const { return {block_m, block_k, block_n}; }
  bool operator==(const GroupedMatmulConfig&) const = default;
};

// One line of JSON with every field, in the order above; align and hints where they are not the
// default.
std::string to_json(const GroupedMatmulConfig& config);
// Fields left out have their defaults; an unknown field, a value of a wrong type or out of range
// and a field given twice are errors that name the field.
Expected<GroupedMatmulConfig> parse_config(std::string_view json);
Diags from_json(std::string_view json, GroupedMatmulConfig& config);
// Blocks, stages and alignment at least 1, warps a power of two.
Diags check_config(const GroupedMatmulConfig& config);
// What our kernels do not honour on a platform: ErrorCode::unsupported with the reason.
Diags check_platform(const GroupedMatmulConfig& config, Platform platform);
// "128x128x128" in the order m, k, n, and what else is not the default.
std::string describe(const GroupedMatmulConfig& config);

}  // namespace tessera
