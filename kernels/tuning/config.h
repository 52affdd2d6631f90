// Configuration of a grouped matmul, as set by callers and stored in caches. The JSON form has the
// fields and defaults of ejKernel's GroupedMatmulConfig.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "kernels/operation/platform.h"

namespace tessera {

// Platform of a grouped matmul, and tiles of its kernel.
struct GroupedMatmulConfig {
  Platform platform = Platform::Auto;  // device or reference
  Backend backend = Backend::Any;      // kind of processor
  // Fields block_m, block_n, block_k and num_stages, and align and hints, which ejKernel does not
  // have.
  KernelConfig kernel;
  std::int64_t num_warps = 4;      // only 4 is accepted: our kernels derive it from the tile
  bool bypass_xla_tiling = false;  // only false is accepted: for XLA's implementation

  bool operator==(const GroupedMatmulConfig&) const = default;
};

// Returns one line of JSON with all fields, in the order above; align and hints only if they are
// not the default.
std::string to_json(const GroupedMatmulConfig& config);
// Parse a configuration from a JSON object, and return it or assign it to `config`, which does not
// change if the text is not valid. Missing fields have their defaults. Both fail for a text that is
// not a JSON object and, with the name of the field, for an unknown field, a value of a wrong type
// or out of range, and a repeated field.
Expected<GroupedMatmulConfig> parse_config(std::string_view json);
Expected<void> from_json(std::string_view json, GroupedMatmulConfig& config);
// Checks that blocks, stages and alignment are at least 1, and that warps is a power of two.
Expected<void> check_config(const GroupedMatmulConfig& config);
// Fails with ErrorCode::unsupported and the reason unless our kernels honour all fields on this
// platform.
Expected<void> check_platform(const GroupedMatmulConfig& config, Platform platform);
// Returns "128x128x128", in the order m, k, n, followed by the other fields that are not the
// default.
std::string describe(const GroupedMatmulConfig& config);

}  // namespace tessera
