// Which operation, option and type runs on which execution, and why not where not: asked of the
// registry and the devices, each by a small call that is checked, built and lowered but not run.
#pragma once  // public
#include <string>
#include <vector>

#include "devices/device.h"
#include "kernels/operation/registry.h"

namespace tessera {

struct SupportRow {
  std::string operation;    // an algorithm of the registry, or a kernel
  std::string option;       // "bf16 . bf16 -> f32", "transpose_rhs"
  std::vector<Support> on;  // in the order of SupportTable::executions
};

struct SupportTable {
  std::vector<std::string> executions;  // devices, the simulated one first, and "reference"
  std::vector<SupportRow> rows;
};

SupportTable support_table(const KernelRegistry& registry = kernel_registry());

}  // namespace tessera
