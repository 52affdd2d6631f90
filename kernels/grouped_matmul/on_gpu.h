// Grouped matmul on memory that is on a GPU already: nothing is copied, nothing waits, sizes stay
// on the device.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/dtype.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/model/grouped_model.h"
#include "devices/cuda/runtime/kernel.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

struct DeviceGroupedMatmul {
  // gmm: out[m, n] = lhs[m, k] . rhs[groups, k, n] by rows; tgmm: out[groups, k, n] of lhs[m, k]
  // and rhs[m, n].
  enum class Kind : std::uint8_t { gmm, tgmm } kind = Kind::gmm;
  std::int64_t m = 0, k = 0, n = 0, groups = 0;
  DType operand = DType::bf16;  // or f16; gmm with transpose_rhs: e4m3, e5m2
  DType out = DType::bf16;      // or f16, f32
  bool transpose_rhs = false;   // gmm: rhs is [groups, n, k]
  // gmm: out = existing_out + product, or existing_out but for the rows of processed groups; tgmm:
  // out = existing_out + product.
  std::optional<ExistingOut> existing;

  // The processed groups: local_groups of them (0: all that follow) from group_offset on; gmm's rhs
  // and tgmm's out hold these alone. local_rows (gmm): row 0 of lhs is the first processed group's.
  std::int64_t group_offset = 0, local_groups = 0;
  bool local_rows = false;

  // What the model reckons with, where somebody knows (sizes that a launch finds on the device may
  // be any); without them, m / groups rows each or about.
  std::vector<std::int64_t> expected_sizes;
  // A configuration of the caller's, for instance one that was measured.
  std::optional<cuda::Configuration> given;

  cuda::GroupedShape shape() const;
  // The given one, or the best by the model for the GPU that is here.
  cuda::Configuration configuration() const;
  // The kernel's program, cut by a configuration.
  Expected<Program> program(const cuda::Configuration& configuration) const;
};

// The kernel, ready to launch any number of times: launch({{"lhs", p}, {"rhs", p}, {"group_sizes",
// p}, {"out", p}}, stream), with "existing_out" where there is one, and with the pitches of lhs,
// rhs and out where their rows do not follow each other. group_sizes are i32.
// ErrorCode::environment without a GPU, unsupported with the reason for what has no CUDA kernel and
// for a given configuration whose hints the kernel cannot honour.
Expected<std::shared_ptr<cuda::Kernel>> device_grouped_matmul(const DeviceGroupedMatmul& call);

}  // namespace tessera
