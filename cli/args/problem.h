// One call of gmm or tgmm, as the command line gives it: what is multiplied, and how it is cut.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "cli/args/said_extents.h"
#include "core/data/dtype.h"
#include "core/data/shape_limits.h"
#include "core/data/tensor.h"
#include "core/kernel/grouped_desc.h"
#include "core/kernel/machine_hints.h"
#include "core/kernel/tiling.h"
#include "core/lang/language.h"
#include "core/report/expected.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

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
  Fill fill = Fill::normal;
  std::uint64_t seed = 0;

  // Rows that the processed groups own.
  std::int64_t processed_rows() const;
  std::int64_t flops() const { return saturated_product({2, processed_rows(), desc.k, desc.n}); }
  Shape lhs_shape() const;
  Shape rhs_shape() const;
  Shape out_shape() const;
};

Options problem_options(GroupedKind kind);

// What the command line says, before any file is read.
struct Asked {
  SaidExtents said;
  Extent local_groups{"local-groups"};
  std::optional<DType> dtype, out_dtype;
  std::string group_sizes;                // --group-sizes as given
  std::string lhs, rhs, sizes, existing;  // files
  bool has_fill = false;
  bool is_lazy = false;  // operands that are filled are made once they are read
  Problem problem;       // all that no file can change
};
Expected<Asked> asked(GroupedKind kind, const Arguments& arguments);

}  // namespace tessera::cli
