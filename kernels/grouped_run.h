// Runs a validated grouped matmul: its kernel on a device, or the reference in its place.
#pragma once
#include <string_view>

#include "core/language.h"
#include "kernels/grouped_call.h"

namespace tessera {

inline constexpr std::string_view reference_device = "reference";

// The kernel's parameters that gmm and tgmm share.
Settings kernel_settings(const GroupedCall& call, const GroupedMatmulOptions& options);

// A binding's entry for an operand: inputs are only read.
inline Tensor* input(const Tensor& tensor) { return const_cast<Tensor*>(&tensor); }

// The result's memory before the run: no value that a kernel computes, so that a row nobody writes
// is seen.
Tensor unwritten(DType dtype, Shape shape);

// Runs the kernel on the device that the options choose; `binding` has the inputs, result.out is
// there already.
Diags run_kernel(std::string_view kernel, const Settings& settings, DeviceBinding binding,
                 const GroupedMatmulOptions& options, GroupedMatmulRun& result);

void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result);

}  // namespace tessera
