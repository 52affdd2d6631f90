// One launch of a grouped GEMM's kernel on a device.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/grouped_gemm/call.h"
#include "kernels/grouped_gemm/settings.h"

namespace tessera {

// Operands of one launch. The caller owns the tensors.
struct GroupedGemmOperands {
  GroupedDesc product;  // the types are not used
  const Tensor *lhs = nullptr, *rhs = nullptr;
  // MXFP8: e8m0, in the operands' shapes with the contraction divided by 32.
  const Tensor *lhs_scale = nullptr, *rhs_scale = nullptr;
  std::span<const float> factor, beta;  // one per group
  const Tensor* c = nullptr;            // same shape as the result; null: beta is not read
  const Tensor* bias = nullptr;         // [groups, n]
  Shape out_shape;

  // Returns the description of the launch, with the operands' types.
  GroupedGemmDesc desc() const {
    GroupedGemmDesc desc{product, c != nullptr, {}, lhs_scale != nullptr};
    if (bias) desc.bias = bias->dtype();
    desc.product.lhs = lhs->dtype();
    desc.product.rhs = rhs->dtype();
    return desc;
  }
};

// Runs a kernel with the configuration from the options or the device. Sets result.out (of
// given.out_shape), device, kernel, tiling, result_place and report, and adds to the notes. Of
// `call`, only the type of the result is used. Findings are in the report. Fails like
// choose_device, if no kernel can be chosen, prepared or run, and if a tile would split the 32
// elements of an MXFP8 scale.
Expected<void> launch(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      const GroupedGemmOperands& given, GroupedGemmRun& result);

}  // namespace tessera
