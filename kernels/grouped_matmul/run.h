// Runs a validated grouped matmul: its kernel on a device, or the reference in its place.
#pragma once
#include <string_view>

#include "core/lang/language.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/launch.h"
#include "kernels/launch/launch_tuning.h"

namespace tessera {

// The kernel's parameters that gmm and tgmm share, and all of gmm's.
Settings kernel_settings(const GroupedCall& call, const GroupedMatmulOptions& options);
Settings gmm_settings(const GroupedCall& call, const GroupedMatmulOptions& options);
// Whether the program has one of the fast CUDA kernels.
bool has_fast_kernel(std::string_view kernel, const Settings& settings,
                     const GroupedMatmulOptions& options, const MachineHints& hints);
// What keeps the program from being a CUDA kernel under the options' hints.
Diags check_lowering(std::string_view kernel, const Settings& settings,
                     const GroupedMatmulOptions& options);
// Group sizes as the kernels take them.
Tensor sizes_tensor(const std::vector<std::int64_t>& sizes);

// Runs the kernel on the device that the options choose; `binding` has the inputs, result.out is
// there already. `hints` are for a GPU.
Diags run_kernel(std::string_view kernel, const Settings& settings, DeviceBinding binding,
                 const GroupedMatmulOptions& options, GroupedMatmulRun& result,
                 const MachineHints& hints = {});

void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result);

}  // namespace tessera
