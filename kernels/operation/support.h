// The table of which operation, option and type runs on which platform, and why not: for each a
// small call is validated, built and lowered, but not run.
#pragma once  // public
#include <string>
#include <vector>

#include "devices/device.h"

namespace tessera {

// One operation with one option.
struct SupportRow {
  std::string operation;    // grouped_matmul, transposed_grouped_matmul or a kernel
  std::string option;       // "bf16 . bf16 -> f32", "transpose_rhs"
  std::vector<Support> on;  // in the order of SupportTable::executions
};

// The table.
struct SupportTable {
  std::vector<std::string> executions;  // devices_as_listed() and "reference"
  std::vector<SupportRow> rows;         // in the order of operations
};

// Computes the table.
SupportTable support_table();

}  // namespace tessera
