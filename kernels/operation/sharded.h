// Grouped matmul and its gradients on a mesh of simulated devices. The devices run in order, each
// on its own shards.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// Return the joined results, and the joined gradients, of a call with a mesh. All shards use one
// configuration. Both functions fail if mesh, in_specs or out_specs is missing, if a spec does not
// fit, if an axis has no devices, or, with ErrorCode::unsupported, if another platform than the
// simulated one is requested; with check_vma also, with ErrorCode::runtime, if devices with the
// same shard have different results. The errors of a shard are returned with its device.
Expected<Tensor> product_on_mesh(const GroupedMatmulOperands& operands,
                                 const GroupedMatmulCall& call);
Expected<GroupedMatmulGradients> gradients_on_mesh(const Tensor& cotangent,
                                                   const GroupedMatmulOperands& operands,
                                                   const GroupedMatmulCall& call);

}  // namespace tessera
