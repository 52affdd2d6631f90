// What right-permute, all-gather, all-reduce and reduce-scatter have in common: a matrix on each device,
// whose rows travel around rings.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "cli/operations/collective_reader.h"
#include "core/report/try.h"
#include "kernels/collective/ring_rows.h"

namespace tessera::cli {

struct RowsOnRings {
  Collective collective;
  std::shared_ptr<const Tensor> rings;
  const Collective::Tensors* x = nullptr;  // [m, n] of each device
};

// The options of one call: --m, --n, --dtype (f32 unless said), --lhs.
Expected<RowsOnRings> rows_on_rings(CollectiveReader& read);

// Of a sum: with the tile of --tile in which rows are added; what it says wrong is an error of `read`.
ReduceOptions reduce_options(CollectiveReader& read);
Option reduce_tile_option();

using JudgeRows = Verdict (*)(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                              const CheckOptions& options);
// The call, whose results `judge` checks; the launch's refusal where there is none.
Expected<OperationCall> as_call(RowsOnRings rows, Expected<Launch> launch, JudgeRows judge);

// The call that a command line says: `own` reads what the command has beside the operand.
template <typename Own>
Expected<OperationCall> rows_call(const Arguments& arguments, Own (*own)(CollectiveReader&),
                                  Expected<Launch> (*launch)(std::span<const Tensor>, const Tensor&,
                                                             const Own&),
                                  JudgeRows judge) {
  CollectiveReader read(arguments);
  RowsOnRings rows = TRY(rows_on_rings(read));
  Own options = own(read);
  if (!read.ok()) return read.diags();
  static_cast<CollectiveOptions&>(options) = rows.collective.options;
  Expected<Launch> made = launch(*rows.x, *rows.rings, options);
  return as_call(std::move(rows), std::move(made), judge);
}

// `m` and `types` say what --m and --dtype mean; `own` are the command's others.
Options rows_options(std::string_view m, std::string_view types, Options own = {});

// The types of --dtype where rows are only moved, and where they are added.
inline constexpr std::string_view moved_types = "f32 bf16 f16 i32 i8; default f32";
inline constexpr std::string_view added_types = "f32 i32; default f32";

}  // namespace tessera::cli
