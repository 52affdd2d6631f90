// A grouped matmul as its kernel takes it: the parameters, the program, the group sizes.
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
// All parameters of the kernel. The operands of `desc` have the one type in which both are
// multiplied.
Settings kernel_settings(const GroupedDesc& desc, const KernelConfig& config);
// The shipped kernel's program, or that of the same name in a module of the caller's own.
Expected<Program> kernel_program(std::string_view kernel, const Settings& settings,
                                 const Module* own = nullptr);
Expected<Program> kernel_program(const GroupedDesc& desc, const KernelConfig& config,
                                 const Module* own = nullptr);

// Whole numbers as the kernels take them: i32[values].
Tensor i32_tensor(const std::vector<std::int64_t>& values);
// The group sizes that the kernel reads: all, or tgmm's own where rows are local.
Tensor sizes_tensor(const GroupedDesc& desc);

}  // namespace tessera
