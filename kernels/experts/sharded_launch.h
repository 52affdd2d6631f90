// Common parts of the launches of grouped matmuls with groups distributed over devices.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Binds one device's operand in the type of the products: the tensor, which must then outlive the
// launch, or a converted copy that the launch owns.
void bind_as(Launch& launch, std::size_t device, const char* name, const Tensor& tensor,
             DType type);
// Binds one device's own i32 table [values.size()], which the launch owns. The values must fit into
// i32.
void bind_table(Launch& launch, std::size_t device, const char* name,
                const std::vector<std::int64_t>& values);
// Sets the parameters of the product: types, extents except the rows, and tiles, which the device
// chooses if `options` have none. Fails like choose_device() and choose_config().
Expected<void> set_product(Launch& launch, const GroupedDesc& call,
                           const GroupedCollectiveOptions& options);

}  // namespace tessera
