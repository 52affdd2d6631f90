#include "kernels/experts/sharded_launch.h"

#include "core/report/try.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/operand_type.h"
#include "kernels/tuning/grouped_choice.h"

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

Expected<void> set_product(Launch& launch, const GroupedDesc& call,
                           const GroupedCollectiveOptions& options) {
  ConfigRequest request{.buffers = options.buffers};
  if (options.tiling) request.tiling = *options.tiling;
  const Device& device = *TRY(choose_device(options.device));
  // The query has no kernel, so the device chooses from the product only.
  KernelConfig config =
      TRY(choose_config(question_of(device, {call}, options.run, request))).config.kernel;
  config.align.reset();
  launch.set("T", call.lhs);
  launch.set("k", call.k);
  launch.set("n", call.n);
  launch.set("groups", call.groups());
  launch.set("transpose_rhs", options.transpose_rhs ? 1 : 0);
  set_config(launch.settings, config);
  return {};
}

}  // namespace tessera
