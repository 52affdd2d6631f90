// How a grouped matmul is cut and where it runs, as a caller of the module gives it and a cache
// keeps it. The fields of the JSON form and their defaults are those of ejKernel's
// GroupedMatmulConfig.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "kernels/operation/platform.h"

namespace tessera {

struct GroupedMatmulConfig {
  Platform platform = Platform::Auto;
  Backend backend = Backend::Any;
  KernelConfig kernel;  // block_m, block_n, block_k, num_stages; align and hints are beyond those
  std::int64_t num_warps = 4;  // our kernels take theirs from the tile: other values are refused
  bool bypass_xla_tiling = false;  // of XLA's implementation: true is refused by ours

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
