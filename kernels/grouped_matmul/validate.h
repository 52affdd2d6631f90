// The operands and options of a grouped matmul, judged before anything runs: what is left is a call
// that can run.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/machine/machine_hints.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

struct GroupedCall {
  std::int64_t m = 0, k = 0, n = 0;
  std::vector<std::int64_t> group_sizes;
  std::int64_t local_groups = 0;
  Tiling tiling;
  std::int64_t buffers = 2;
  std::optional<std::int64_t> align;
  MachineHints hints;          // on a GPU
  DType operand = DType::f32;  // the type both operands are multiplied in

  std::int64_t groups() const { return static_cast<std::int64_t>(group_sizes.size()); }
};

// Texts that an upstream project has are that project's, word for word.
Expected<GroupedCall> validate_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                   const GroupedMatmulOptions& options);
// gmm of operands of one byte (call.operand), as it is where no kernel takes these as they are.
GroupedCall in_bf16(GroupedCall call, const GroupedMatmulOptions& options);
Expected<GroupedCall> validate_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const GroupedMatmulOptions& options);

}  // namespace tessera
