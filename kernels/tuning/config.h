// The configuration of a grouped matmul as callers set it and caches keep it. The fields of the
// JSON form and their defaults are those of ejKernel's GroupedMatmulConfig.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "kernels/operation/platform.h"

namespace tessera {

// Where a grouped matmul runs, and how its kernel is cut into tiles.
struct GroupedMatmulConfig {
  Platform platform = Platform::Auto;  // what runs it
  Backend backend = Backend::Any;      // on which kind of processor
  KernelConfig kernel;  // block_m, block_n, block_k, num_stages; align and hints are beyond those
  std::int64_t num_warps = 4;  // our kernels derive theirs from the tile: other values are refused
  bool bypass_xla_tiling = false;  // for XLA's implementation: ours refuse true

  bool operator==(const GroupedMatmulConfig&) const = default;
};

// One line of JSON with every field, in the order above; align and hints where they are not the
// default.
std::string to_json(const GroupedMatmulConfig& config);
// The configuration of a JSON object. Fields left out have their defaults; errors, which name the
// field, are an unknown one, a value of a wrong type or out of range, and a field that is there
// twice.
Expected<GroupedMatmulConfig> parse_config(std::string_view json);
Expected<void> from_json(std::string_view json, GroupedMatmulConfig& config);
// Whether blocks, stages and alignment are at least 1 and warps a power of two.
Expected<void> check_config(const GroupedMatmulConfig& config);
// Whether our kernels honour all fields on a platform; else ErrorCode::unsupported with the
// reason.
Expected<void> check_platform(const GroupedMatmulConfig& config, Platform platform);
// "128x128x128" in the order m, k, n, and what else is not the default.
std::string describe(const GroupedMatmulConfig& config);

}  // namespace tessera
