// A grouped matmul and its gradients on a mesh of simulated devices: each runs the call on its own
// shards, one device after another.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// Errors of a mesh call: a missing mesh, in_specs or out_specs, specs that do not fit, an axis
// without devices, a platform without a mesh, and a shard's own errors with its device.
Expected<Tensor> product_on_mesh(const GroupedMatmulOperands& operands,
                                 const GroupedMatmulCall& call);
Expected<GroupedMatmulGradients> gradients_on_mesh(const Tensor& cotangent,
                                                   const GroupedMatmulOperands& operands,
                                                   const GroupedMatmulCall& call);

}  // namespace tessera
