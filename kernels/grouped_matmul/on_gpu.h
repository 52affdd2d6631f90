// Asynchronous grouped matmul on operands in GPU memory, without copies. Group sizes are read on
// the device.
#pragma once  // public
#include <memory>
#include <optional>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// Returns the compiled kernel, which can be launched any number of times. Its operands are the
// addresses of lhs, rhs, group_sizes i32[groups] and out, "existing_out" if there is an existing
// result, and the pitches of lhs, rhs and out if their rows are not adjacent.
//
// lhs and rhs have the same type: bf16, f16 or, for gmm with transposed weights, e4m3 or e5m2.
// desc.sizes are only used to choose a configuration: the one that `gmm-run tune` cached for them,
// otherwise the device's choice. A launch accepts any sizes in device memory. tgmm can only add to
// an existing result, and lhs and rhs have the rows of all groups.
// given: configuration to use, for example a measured one; fails if the kernel cannot honour its
// hints.
// Fails for tgmm with transpose_rhs, local rows or ExistingOut::Overwrite, with
// ErrorCode::environment without a GPU, and with ErrorCode::unsupported if the GPU has no kernel
// for the product.
Expected<std::unique_ptr<Executable>> device_grouped_matmul(
    const GroupedDesc& desc, const std::optional<KernelConfig>& given = {});

}  // namespace tessera
