// Grouped matmul on memory that is on a GPU already: nothing is copied, nothing waits, sizes stay
// on the device.
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
// their rows do not follow each other.
//
// lhs and rhs have one type, bf16, f16 or, for gmm with transposed weights, e4m3 or e5m2. The sizes
// of `desc` are those that the choice of a configuration reckons with; what a launch finds on the
// device may be any. tgmm adds to an existing result, and its rows are those of all groups.
// `given`: a configuration of the caller's, for instance one that was measured, whose hints must be
// honoured. ErrorCode::environment without a GPU, unsupported with the reason for what has no
// kernel there.
Expected<std::unique_ptr<Executable>> device_grouped_matmul(
    const GroupedDesc& desc, const std::optional<KernelConfig>& given = {});

}  // namespace tessera
