// Support table: the operations, options and types that each platform can run, with the reason for
// those that it cannot run. Each entry is computed by validating, building and lowering a small
// call, without running it.
#pragma once  // public
#include <string>
#include <vector>

#include "devices/device.h"

namespace tessera {

// Support for one operation with one option.
struct SupportRow {
  std::string operation;    // grouped_matmul, transposed_grouped_matmul or a kernel
  std::string option;       // "bf16 . bf16 -> f32", "transpose_rhs"
  std::vector<Support> on;  // per platform, in the order of SupportTable::executions
};

// Support table of all operations.
struct SupportTable {
  std::vector<std::string> executions;  // names of devices_as_listed(), then "reference"
  std::vector<SupportRow> rows;         // grouped by operation
};

// Computes the support table.
SupportTable support_table();

}  // namespace tessera
