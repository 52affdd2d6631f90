#include "kernels/experts/sharded_launch.h"

#include "kernels/launch/operand_type.h"

namespace tessera {

void bind_as(Launch& launch, std::size_t device, const char* name, const Tensor& tensor,
             DType type) {
  if (tensor.dtype() == type) return launch.input(device, name, tensor);
  launch.owned.push_back(converted(tensor, type));
  launch.devices[device].emplace(name, &launch.owned.back());
}

void bind_table(Launch& launch, std::size_t device, const char* name,
                const std::vector<std::int64_t>& values) {
  Tensor& tensor =
      launch.owned.emplace_back(DType::i32, Shape{static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(values[i]);
  launch.devices[device].emplace(name, &tensor);
}

void set_product(Launch& launch, const GroupedCall& call, const GroupedCollectiveOptions& options) {
  launch.set("T", call.operand);
  launch.set("k", call.k);
  launch.set("n", call.n);
  launch.set("groups", call.groups());
  launch.set("transpose_rhs", options.transpose_rhs ? 1 : 0);
  launch.set("tm", call.tiling.m);
  launch.set("tk", call.tiling.k);
  launch.set("tn", call.tiling.n);
  launch.set("buffers", call.buffers);
}

}  // namespace tessera
