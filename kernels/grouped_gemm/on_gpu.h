// Grouped GEMM on operands in GPU memory: out = alpha[g] * product + beta[g] * c + bias[g]. Sizes
// and factors are read on the device.
#pragma once  // public
#include <memory>
#include <optional>

#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/grouped_gemm/settings.h"

namespace tessera {

// Returns the compiled kernel, which can be launched any number of times on addresses of
//   lhs, rhs, group_sizes i32[groups], alpha f32[groups], out,
//   beta f32[groups], reads_c i32[groups] (0: c is not read, and may contain anything), c,
//   bias [groups, n],
//   lhs_scale, rhs_scale e8m0: the operands' shapes with the contraction divided by 32.
// Operands that the call does not use are omitted. The pitches of lhs, rhs and out are operands if
// their rows are not adjacent. lhs and rhs have the same type, bf16, f16 or f32, or each is e4m3 or
// e5m2. `given` and errors are like in device_grouped_matmul (kernels/grouped_matmul/on_gpu.h).
Expected<std::unique_ptr<Executable>> device_grouped_gemm(
    const GroupedGemmDesc& desc, const std::optional<KernelConfig>& given = {});

}  // namespace tessera
