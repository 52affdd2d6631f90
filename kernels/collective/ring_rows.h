// What collectives that move or add rows around rings have in common. Operands are matrices, one
// for each device of the rings, all of one shape and type.
#pragma once  // public
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Types that rows may have where they are moved, and where they are added.
inline constexpr std::initializer_list<DType> moved_types = {DType::f32, DType::bf16, DType::f16,
                                                             DType::i32, DType::i8};
inline constexpr std::initializer_list<DType> added_types = {DType::f32, DType::i32};

// Options of the reductions.
struct ReduceOptions : CollectiveOptions {
  bool credits = true;              // false leaves the flow control out, for demonstration
  std::int64_t bm = 128, bn = 128;  // rows and columns of the tiles in which rows are added
};

// Operands of two dimensions, alike on all devices; `what` is their name.
Expected<void> check_matrices(std::string_view what, std::span<const Tensor> operands);
// Rings, and x on each device of one of `types`.
Expected<void> check_ring_rows(std::string_view kernel, std::span<const Tensor> x,
                               const Tensor& rings, std::initializer_list<DType> types);
// A launch of `kernel` with rings and x; `rows` is its parameter. The caller adds the results.
Launch launch_ring_rows(std::string_view kernel, std::span<const Tensor> x, const Tensor& rings,
                        std::int64_t rows, const CollectiveOptions& options);

// Sets the parameters of a sum on rings by the options; an error for a tile without elements.
Expected<void> set_reduction(Launch& launch, const ReduceOptions& options);

}  // namespace tessera
