// One call of gmm or tgmm by options and files: the product, its tiles and its operands.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "cli/args/operand_values.h"
#include "cli/args/options.h"
#include "core/data/shape_limits.h"
#include "core/data/tensor.h"
#include "core/kernel/grouped_desc.h"
#include "core/kernel/machine_hints.h"
#include "core/kernel/tiling.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

struct Operands {
  Tensor lhs, rhs, group_sizes;
  Tensor existing;       // rank 0 without an existing result
  OperandValues values;  // how they were made
};

struct Problem {
  GroupedDesc desc;              // m: rows of lhs
  bool lhs_stored = true;        // tgmm: lhs is held as [m, k], not as [k, m]
  bool lhs_files_stored = true;  // tgmm: files of lhs, read or written, are [m, k], not [k, m]
  std::optional<Tiling> tiling;  // without one: the profile's
  std::int64_t buffers = 2;
  std::optional<std::int64_t> align;  // with hints: of a configuration, which options cannot give
  MachineHints hints;
  std::shared_ptr<const Module> program;  // whose kernel runs in place of the shipped one
  bool strict_sum = false;
  std::uint64_t seed = 0;
  Operands operands;  // empty from settled_problem()

  // Rows that the processed groups own.
  std::int64_t processed_rows() const;
  std::int64_t flops() const { return saturated_product({2, processed_rows(), desc.k, desc.n}); }
};

Options problem_options(GroupedKind kind);

// Reads the files, derives every extent and type from them and the options, and fills the other
// operands.
Expected<Problem> filled_problem(GroupedKind kind, const Arguments& arguments);
// The same without operands, which then need no memory.
Expected<Problem> settled_problem(GroupedKind kind, const Arguments& arguments);

}  // namespace tessera::cli
