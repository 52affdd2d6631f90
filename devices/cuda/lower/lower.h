// From a program to a kernel's source and to what its launch needs besides the operands' addresses.
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

// How the copy engine sees an operand: dimensions of the program's buffer, innermost in memory
// first.
struct MapPlan {
  BufferId buffer{};                 // what it is of
  std::vector<std::int64_t> extent;  // elements, innermost first
  std::vector<std::int64_t> box;
  int element_bytes = 2;
};

// Of a kernel that multiplies on the tensor cores of sm_90a.
struct TensorCorePlan {
  std::string wgmma;     // the text of wgmma.cuh, which the templates include
  int cluster = 1;       // CTAs: the launch's count of CTAs is a multiple
  int shared_bytes = 0;  // without the program's arrays
  MapPlan left, right, result;
  std::vector<BufferId> by_element;  // buffers whose elements the generated functions read
  std::int64_t contraction = 0;      // the operands' extent along it
  bool ragged_contraction = false;   // which part of it a tile takes is data
};

// Of the general kernel (general.h): tiles lie in global memory.
struct GeneralPlan {
  std::int64_t tile_bytes = 0;  // of each CTA
};

struct LoweredKernel {
  std::string entry;                    // the kernel's name in the source
  std::string source;                   // includes the templates
  std::string architecture = "sm_90a";  // that it is compiled for; the general one: of the device
  int threads = 0;
  std::vector<ArgField> arguments;  // the fields of its parameter
  std::int64_t array_elements = 0;  // of 8 bytes: a CTA's scalar arrays
  std::int64_t result_rows = 0;     // that the result has
  double sum_error = 0;             // DeviceReport::sum_error
  std::string note;                 // what a report should say of the choice
  std::string summary;              // the plan in words, for reports: tiles, stages, layouts
  std::variant<TensorCorePlan, GeneralPlan> plan;

  const TensorCorePlan* tensor_core() const { return std::get_if<TensorCorePlan>(&plan); }
  const GeneralPlan* general() const { return std::get_if<GeneralPlan>(&plan); }
};

// ErrorCode::unsupported, with the place and the reason, for what has no kernel.
Expected<LoweredKernel> lower(const Program& program, const MachineHints& hints = {});

}  // namespace tessera::cuda
