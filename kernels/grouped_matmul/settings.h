// Conversion of a grouped matmul to kernel parameters, program and group sizes.
#pragma once
#include <string_view>

#include "core/data/tensor.h"
#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/lang/language.h"
#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

// "gmm" or "tgmm": the kernel's name in kernels().
std::string_view kernel_of(const GroupedDesc& desc);
// Returns all parameters of the kernel. lhs and rhs of `desc` must have the same type, the one in
// which they are multiplied.
Settings kernel_settings(const GroupedDesc& desc, const KernelConfig& config);
// Return the program of the built-in kernel, or of the kernel with this name in the module `own` if
// it is not null. Fail if `own` has no such kernel, and if the kernel rejects the settings.
Expected<Program> kernel_program(std::string_view kernel, const Settings& settings,
                                 const Module* own = nullptr);
Expected<Program> kernel_program(const GroupedDesc& desc, const KernelConfig& config,
                                 const Module* own = nullptr);

// Converts integers, which must fit into i32, to a tensor i32[values], the format that the kernels
// read.
Tensor i32_tensor(const std::vector<std::int64_t>& values);
// Returns the group sizes that the kernel reads: all, or for tgmm with local rows the processed
// ones.
Tensor sizes_tensor(const GroupedDesc& desc);

}  // namespace tessera
