// A call of gmm or tgmm, from options and files: the product, its tiles and its operands.
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
  OperandValues values;  // known properties of the values
};

struct Problem {
  GroupedDesc desc;              // m: rows of lhs
  bool lhs_stored = true;        // tgmm: lhs is stored in memory as [m, k], not as [k, m]
  bool lhs_files_stored = true;  // tgmm: files of lhs, read or written, are [m, k], not [k, m]
  std::optional<Tiling> tiling;  // none: the profile's tiling
  std::int64_t buffers = 2;
  std::optional<std::int64_t> align;  // from a configuration with hints; there is no option for it
  MachineHints hints;
  std::shared_ptr<const Module> program;  // its kernel replaces the built-in one; may be null
  bool strict_sum = false;
  std::uint64_t seed = 0;
  Operands operands;  // from settled_problem(): only those from files

  // Number of rows in the processed groups.
  std::int64_t processed_rows() const;
  std::int64_t flops() const { return saturated_product({2, processed_rows(), desc.k, desc.n}); }
};

Options problem_options(GroupedKind kind);

// Reads the files, derives all extents and types from the files and options, and fills the operands
// without a file, at their first access. Fails for malformed options, for files that cannot be
// read, for missing or contradicting extents and types, and like check_host_memory(). The
// configuration has only the given options; settle_config() completes it.
Expected<Problem> filled_problem(GroupedKind kind, const Arguments& arguments);
// Like filled_problem(), but operands without a file stay empty (rank 0), so they need no memory.
Expected<Problem> settled_problem(GroupedKind kind, const Arguments& arguments);

}  // namespace tessera::cli
