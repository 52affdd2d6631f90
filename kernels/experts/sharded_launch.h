// What the launches of grouped matmuls whose groups are shared by devices have in common.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/launch.h"

namespace tessera {

// One device's operand in the type of the products: itself, or a copy that the launch owns.
void bind_as(Launch& launch, std::size_t device, const char* name, const Tensor& tensor,
             DType type);
// One device's own table of i32.
void bind_table(Launch& launch, std::size_t device, const char* name,
                const std::vector<std::int64_t>& values);
// The parameters of the product: types, extents but for the rows, tiles.
Expected<void> set_product(Launch& launch, const GroupedDesc& call,
                           const GroupedCollectiveOptions& options);

}  // namespace tessera
