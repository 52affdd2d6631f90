// Lowering of a program to kernel source and launch parameters.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/kernel/machine_hints.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/arg_fields.h"

namespace tessera::cuda {

// Tensor map of an operand: dimensions of the program's buffer, innermost in memory first.
struct MapPlan {
  BufferId buffer{};
  std::vector<std::int64_t> extent;  // elements, innermost first
  std::vector<std::int64_t> box;     // elements per copy, in the same order
  int element_bytes = 2;
};

// Plan of a kernel that multiplies on the tensor cores of sm_90a.
struct TensorCorePlan {
  std::string wgmma;     // text of wgmma.cuh, which the templates include
  int cluster = 1;       // CTAs per cluster; the grid must be a multiple
  int shared_bytes = 0;  // without the scalar arrays
  MapPlan left, right, result;
  std::vector<BufferId> by_element;  // buffers that generated functions read by element
  std::int64_t contraction = 0;      // extent of the operands along the contraction
  bool ragged_contraction = false;   // true if the part for a tile depends on data
};

// Plan of a general kernel (general.h), which has its tiles in global memory.
struct GeneralPlan {
  std::int64_t tile_bytes = 0;  // per CTA
};

struct LoweredKernel {
  std::string entry;                    // name of the kernel in the source
  std::string source;                   // source text; #includes the templates
  std::string architecture = "sm_90a";  // target; set by the caller for general kernels
  int threads = 0;                      // per CTA
  std::vector<ArgField> arguments;      // fields of the kernel parameter
  std::int64_t array_elements = 0;      // size of the scalar arrays per CTA; 8 bytes each
  std::int64_t result_rows = 0;         // rows of the result
  double sum_error = 0;                 // DeviceReport::sum_error
  std::string note;                     // remark on the choice of the kernel, for reports
  std::string summary;                  // description for reports: tiles, stages, layouts
  std::variant<TensorCorePlan, GeneralPlan> plan;

  const TensorCorePlan* tensor_core() const { return std::get_if<TensorCorePlan>(&plan); }
  const GeneralPlan* general() const { return std::get_if<GeneralPlan>(&plan); }
};

// Lowers to a fast kernel. Fails with ErrorCode::unsupported and the reason, with its place if it
// is a statement, if the program has none with these hints.
Expected<LoweredKernel> lower(const Program& program, const MachineHints& hints = {});

}  // namespace tessera::cuda
