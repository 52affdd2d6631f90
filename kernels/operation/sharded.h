// Grouped matmul and its gradients on a mesh of simulated devices. The devices run in order, each
// on its own shards.
#pragma once
#include "kernels/operation/grouped_operation.h"

namespace tessera {

// Both functions fail if mesh, in_specs or out_specs is missing, if a spec does not fit, if an axis
// has no devices, or, with ErrorCode::unsupported, if another platform than the simulated one is
// requested. The errors of a shard are returned with its device.
Expected<Tensor> product_on_mesh(const GroupedMatmulOperands& operands,
                                 const GroupedMatmulCall& call);
Expected<GroupedMatmulGradients> gradients_on_mesh(const Tensor& cotangent,
                                                   const GroupedMatmulOperands& operands,
                                                   const GroupedMatmulCall& call);

}  // namespace tessera
