// What right-permute, all-gather, all-reduce and reduce-scatter have in common: a matrix on each device,
// whose rows travel around rings.
#pragma once
#include <functional>
#include <memory>

#include "cli/operations/collective_reader.h"
#include "kernels/collective/ring_rows.h"

namespace tessera::cli {

struct RowsOnRings {
  Collective collective;
  std::shared_ptr<const Tensor> rings;
  const Collective::Tensors* x = nullptr;  // [m, n] of each device
};

// The options of one call: --m, --n, --dtype (f32 unless said), --lhs.
Expected<RowsOnRings> rows_on_rings(CollectiveReader& read);
// The launch's options with those that every collective has.
template <typename Options>
Options with(const Collective& collective, Options options) {
  static_cast<CollectiveOptions&>(options) = collective.options;
  return options;
}

// Of a sum: with the tile of --tile in which rows are added; what it says wrong is an error of `read`.
ReduceOptions reduce_options(CollectiveReader& read, const Collective& collective);
Option reduce_tile_option();

using JudgeRows = Verdict (*)(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                              const CheckOptions& options);
// The call, whose results `judge` checks; the launch's refusal where there is none.
Expected<OperationCall> as_call(RowsOnRings rows, Expected<Launch> launch, JudgeRows judge);

// `m` and `types` say what --m and --dtype mean; `own` are the command's others.
Options rows_options(std::string_view m, std::string_view types, Options own = {});

// The types of --dtype where rows are only moved, and where they are added.
inline constexpr std::string_view moved_types = "f32 bf16 f16 i32 i8; default f32";
inline constexpr std::string_view added_types = "f32 i32; default f32";

}  // namespace tessera::cli
