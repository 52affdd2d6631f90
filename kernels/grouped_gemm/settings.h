// Description of a grouped GEMM kernel, and its program.
#pragma once  // public
#include <optional>
#include <string_view>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

// out[g] = alpha[g] * product + beta[g] * c + bias[g].
struct GroupedGemmDesc {
  // gmm: rows of groups times their matrices; tgmm: the gradient of the weights. lhs and rhs are
  // the types in which the operands are multiplied. All groups are processed; `existing` is not
  // used.
  GroupedDesc product;
  // Adds beta[g] * c if the operand reads_c[g] is not 0; c has the result's type.
  bool adds_c = false;
  std::optional<DType> bias;  // adds bias [groups, n] of this type: f32, bf16 or f16
  // MXFP8: 32 elements along the contraction share an e8m0 scale. Group sizes of tgmm must be
  // multiples of 32.
  bool block_scales = false;
};

// "grouped_gemm" or "grouped_gemm_wgrad": the kernel's name in kernels().
std::string_view kernel_of(const GroupedGemmDesc& desc);
// Returns the program of this kernel, in structured form. Fails if types, extents or configuration
// do not satisfy the requirements of the kernel, and for tgmm with transpose_rhs.
Expected<Program> grouped_gemm_program(const GroupedGemmDesc& desc, const KernelConfig& config);

}  // namespace tessera
