// Common part of right-permute, all-gather, all-reduce and reduce-scatter: each device has a
// matrix, and its rows are sent around rings.
#pragma once
#include <span>

#include "cli/operations/collective_reader.h"
#include "kernels/collective/ring_rows.h"

namespace tessera::cli {

// Reads --m, --n, --dtype (default f32) and --lhs, the operand `x` of the kernel: [m, n] on each
// device, filled by --fill without a file. Also sets the reported shape and types. Returns the
// tensors of `x`, which stay valid as long as Collective::operands; null if `read` has errors. Adds
// errors to `read`. shared: as in CollectiveReader::bind().
const Collective::Tensors* rows_on_rings(CollectiveReader& read, std::string_view kernel,
                                         std::string_view shared);

// Returns the options of a reduction; --tile sets the tile in which rows are added. Adds an error
// to `read` for a malformed value. The common options are not set.
ReduceOptions reduce_options(CollectiveReader& read);
Option reduce_tile_option();

// Checks the results of a launch with these operands.
using JudgeRows = Verdict (*)(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                              const CheckOptions& options);

// Creates the call from a command line. Fails with the errors of the options, files or launch.
// own: reads the options that only this command has; launch: binds x, the rings and the options;
// judge: checks the results; shared: as in CollectiveReader::bind().
template <typename Own>
Expected<OperationCall> rows_call(const Arguments& arguments, std::string_view kernel,
                                  Own (*own)(CollectiveReader&),
                                  Expected<Launch> (*launch)(std::span<const Tensor>, const Tensor&,
                                                             const Own&),
                                  JudgeRows judge, std::string_view shared = {}) {
  CollectiveReader read(arguments);
  const Collective::Tensors* const x = rows_on_rings(read, kernel, shared);
  if (!read.ok()) return read.diags();
  Own options = own(read);
  if (!read.ok()) return read.diags();
  static_cast<CollectiveOptions&>(options) = read.collective.options;
  const Tensor& rings = read.rings();
  return as_call(std::move(read.collective), launch(*x, rings, options),
                 [x, &rings, judge](const Launch& done, const CheckOptions& how) {
                   return judge(*x, rings, done, how);
                 });
}

// Returns the options of a collective on rows: --m, --n, --dtype, those of the operand lhs and of
// all collectives. m, types: help texts of --m and --dtype. own: other options of the command.
Options rows_options(std::string_view m, std::string_view types, Options own = {});

// Types for --dtype, if rows are only moved and if they are added.
inline constexpr std::string_view moved_types = "f32 bf16 f16 i32 i8; default f32";
inline constexpr std::string_view added_types = "f32 i32; default f32";

}  // namespace tessera::cli
