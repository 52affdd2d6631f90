// One launch of a grouped GEMM as its kernel takes it.
#pragma once  // public
#include <optional>
#include <string_view>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

struct GroupedGemmDesc {
  // gmm: rows of groups times their matrices; tgmm: the gradient of the weights. Each operand has
  // the type in which it is multiplied; all groups are processed, and `existing` plays no part.
  GroupedDesc product;
  bool adds_c = false;        // beta[g] * c of the result's type, where reads_c says so
  std::optional<DType> bias;  // f32, bf16 or f16, [groups, n]
  // MXFP8: 32 elements along the contraction share an e8m0 scale; tgmm's group sizes are multiples
  // of 32.
  bool block_scales = false;
};

// "grouped_gemm" or "grouped_gemm_wgrad": the kernel's name in kernels().
std::string_view kernel_of(const GroupedGemmDesc& desc);
Expected<Program> grouped_gemm_program(const GroupedGemmDesc& desc, const KernelConfig& config);

}  // namespace tessera
