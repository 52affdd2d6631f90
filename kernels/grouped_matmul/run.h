// Runs a grouped matmul that was judged: its kernel on a device, or the reference in its place.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/launch.h"

namespace tessera {

// A product whose kernel is ready: how it is cut, and the type in which both operands are
// multiplied.
struct PreparedProduct {
  DType operand = DType::f32;
  KernelConfig config;
  std::vector<std::string> notes;  // cached configurations that could not be used, and why
  std::unique_ptr<Executable> executable;
  Loc result_place;  // where the kernel's text declares `out`
  std::string key;   // by which it may be kept for the next call; empty: it may not
};
// Ready for the next call of the same problem; nothing else of it is used any more.
void keep(PreparedProduct product);
// The only place that asks for a configuration, builds and lowers: once for each type that the
// device may take the operands in, the narrowest first.
Expected<PreparedProduct> prepare_product(const Device& device, const GroupedDesc& desc,
                                          const GroupedMatmulOptions& options);

// Whether the device can run it so, also where the device is not here.
Support supports_product(const Device& device, const GroupedDesc& desc,
                         const GroupedMatmulOptions& options);

// Runs an executable on one device; `binding` has the inputs, result.out is there already.
Expected<void> run_prepared(const Device& device, Executable& executable, DeviceBinding binding,
                            Precision precision, const DeviceOptions& run,
                            GroupedMatmulRun& result);

// The reference in a kernel's place.
void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result);

}  // namespace tessera
