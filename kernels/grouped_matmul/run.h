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

// Product with a compiled kernel. operand: type in which lhs and rhs are multiplied.
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
// Chooses a configuration, and returns the product with an executable for it: taken out of the
// cache, or newly lowered. Tries the types in which the device can multiply the operands, the
// narrowest first; all except the last require a fast kernel. Fails if the options do not fit the
// product or the device, and with ErrorCode::unsupported if the device has no kernel.
Expected<PreparedProduct> prepare_product(const Device& device, const GroupedDesc& desc,
                                          const GroupedMatmulOptions& options);

// Returns ok if the device can run the product, else the reason. The device need not be available.
// Cached configurations are ignored.
Support supports_product(const Device& device, const GroupedDesc& desc,
                         const GroupedMatmulOptions& options);

// Runs an executable on one device. Sets result.device and result.report, writes result.out, which
// must be allocated, and adds to result.notes. binding: the inputs. Findings are in the report.
// Fails like Executable::run.
Expected<void> run_prepared(const Device& device, Executable& executable, DeviceBinding binding,
                            Precision precision, const DeviceOptions& run,
                            GroupedMatmulRun& result);

// Sets result.out, result.device and the time in result.report. Calls the reference, so no kernel
// runs. problem: gmm_problem() or tgmm_problem() of the call.
void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result);

}  // namespace tessera
