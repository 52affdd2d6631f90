// A call of the operation as the kernels take it.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// Without tiling: what does not depend on the configuration.
GroupedMatmulOptions call_options(const GroupedInvocation& call);
// With the configuration's tiling and stages.
GroupedMatmulOptions grouped_options(const GroupedInvocation& call,
                                     const GroupedMatmulConfig& config);
// The interpreter's, on the machine of the call's profile.
DeviceOptions device_options(const GroupedMatmulCall& call);

// The call with its rows padded; where none were added the operands are the call's own.
struct PaddedCall {
  GroupedMatmulOptions options;  // but for existing_out
  Padding padding;
  bool is_padded = false;
  Tensor padded_lhs, padded_existing;

  const Tensor& lhs(const GroupedInvocation& call) const {
    return is_padded ? padded_lhs : *call.lhs;
  }
  const Tensor* existing(const GroupedInvocation& call) const {
    return is_padded && call.existing_out ? &padded_existing : call.existing_out;
  }
};
// Errors are those of the operands, of the padding and of options that no kernel of ours honours.
Expected<PaddedCall> padded_call(const GroupedInvocation& call, const GroupedMatmulConfig& config);

// What the callback makes of a result, which keeps its shape and type.
Expected<Tensor> called_back(const GroupedMatmulCall& call, Tensor result);

}  // namespace tessera
