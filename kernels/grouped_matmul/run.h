// Execution of a validated grouped matmul, by a kernel on a device or by the reference.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Product with a compiled kernel.
struct PreparedProduct {
  DType operand = DType::f32;
  KernelConfig config;
  std::vector<std::string> notes;  // reasons for which cached configurations were not used
  std::unique_ptr<Executable> executable;
  Loc result_place;  // declaration of `out` in the kernel's text
  std::string key;   // cache key of the executable; empty: not cached
};
// Caches the executable for the next call of the same problem, unless the key is empty.
void keep(PreparedProduct product);
// Chooses a configuration, creates the program and lowers it. Tries the types in which the device
// can multiply the operands, the narrowest first.
Expected<PreparedProduct> prepare_product(const Device& device, const GroupedDesc& desc,
                                          const GroupedMatmulOptions& options);

// Checks whether the device can run the product. The device need not be available.
Support supports_product(const Device& device, const GroupedDesc& desc,
                         const GroupedMatmulOptions& options);

// Runs an executable on one device. binding: the inputs; result.out must be allocated.
Expected<void> run_prepared(const Device& device, Executable& executable, DeviceBinding binding,
                            Precision precision, const DeviceOptions& run,
                            GroupedMatmulRun& result);

// Computes the result with the reference, without a kernel.
void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result);

}  // namespace tessera
