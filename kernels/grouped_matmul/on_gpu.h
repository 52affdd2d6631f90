// Grouped matmul on operands in a GPU's memory: nothing is copied, the host does not wait, and
// group sizes are read on the device.
#pragma once  // public
#include <memory>
#include <optional>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// The kernel, ready to launch any number of times on addresses of lhs, rhs, group_sizes i32[groups]
// and out, with "existing_out" where there is one, and with the pitches of lhs, rhs and out where
// their rows are not adjacent.
//
// lhs and rhs have one type, bf16, f16 or, for gmm with transposed weights, e4m3 or e5m2.
// desc.sizes only guide the choice of a configuration (what `gmm-run tune` kept for them, else the
// device's choice); a launch takes any sizes that it finds on the device. tgmm adds to an existing
// result, and its rows are those of all groups. `given` is a configuration of the caller's, for
// instance a measured one; a kernel that cannot honour its hints is an error. Errors are
// ErrorCode::environment without a GPU, and unsupported with the reason for what has no kernel
// there.
Expected<std::unique_ptr<Executable>> device_grouped_matmul(
    const GroupedDesc& desc, const std::optional<KernelConfig>& given = {});

}  // namespace tessera
