// How a call of the operation is cut over a mesh: what its product (sharded.h) and its gradients
// (gradients.h) begin with.
#pragma once
#include <vector>

#include "kernels/operation/grouped_operation.h"

namespace tessera {

// One device's part of the operands; existing is empty where the call has none.
struct OperandShard {
  Tensor lhs, rhs, sizes, existing;
};

// The parts by in_specs, existing_out's by out_specs. With do_padding lhs and existing_out get zero
// rows up to a multiple of the devices that share lhs's; specs that do not fit are errors.
Expected<std::vector<OperandShard>> cut_operands(const GroupedInvocation& call);
// The shape of the result whose parts are of shape `part`; a spec that does not fit is an error.
Expected<Shape> joined_shape(const Shape& part, const PartitionSpec& spec, const Mesh& mesh);
// The diagnostics with the device in front: "shard of device 1: ...".
Diags of_device(std::int64_t device, const Diags& diags);

}  // namespace tessera
