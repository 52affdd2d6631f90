// One launch of a grouped GEMM's kernel on a device.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/grouped_gemm/call.h"
#include "kernels/grouped_gemm/settings.h"

namespace tessera {

// What one launch multiplies; it refers to what the caller holds.
struct GroupedGemmOperands {
  GroupedDesc product;  // but for the types
  const Tensor *lhs = nullptr, *rhs = nullptr;
  // MXFP8: e8m0, the operands' shapes with the contraction divided by 32.
  const Tensor *lhs_scale = nullptr, *rhs_scale = nullptr;
  std::span<const float> factor, beta;  // one for each group
  const Tensor* c = nullptr;            // of the result's shape; none: no beta is read
  const Tensor* bias = nullptr;         // [groups, n]
  Shape out_shape;

  // The launch as its kernel takes it, with the operands' types.
  GroupedGemmDesc desc() const {
    GroupedGemmDesc desc{product, c != nullptr, {}, lhs_scale != nullptr};
    if (bias) desc.bias = bias->dtype();
    desc.product.lhs = lhs->dtype();
    desc.product.rhs = rhs->dtype();
    return desc;
  }
};

// Runs the kernel that the options and the device choose: result.out of what.out_shape, with its
// kernel, tiling, notes and report. Errors are those of choosing and preparing a kernel, and a tile
// that cuts the 32 elements of an MXFP8 scale.
Expected<void> launch(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      const GroupedGemmOperands& given, GroupedGemmRun& result);

}  // namespace tessera
