// Common parts of collectives that move or add rows around rings. Operands are matrices, one for
// each device of the rings, all with the same shape and type.
#pragma once  // public
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Types of rows that can be moved, and types of rows that can be added.
inline constexpr std::initializer_list<DType> moved_types = {DType::f32, DType::bf16, DType::f16,
                                                             DType::i32, DType::i8};
inline constexpr std::initializer_list<DType> added_types = {DType::f32, DType::i32};

// Options of the reductions.
struct ReduceOptions : CollectiveOptions {
  bool credits = true;              // flow control; false: none, for demonstration
  std::int64_t bm = 128, bn = 128;  // rows and columns of the tiles that are added
};

// Checks that operands are matrices with the same shape and type on all devices. what: their name,
// for the error.
Expected<void> check_matrices(std::string_view what, std::span<const Tensor> operands);
// Calls check_rings, and check_matrices for x. Fails with ErrorCode::unsupported unless x has one
// of `types`. kernel: its name, for the message.
Expected<void> check_ring_rows(std::string_view kernel, std::span<const Tensor> x,
                               const Tensor& rings, std::initializer_list<DType> types);
// Returns a launch of `kernel` with rings and x, without results. Requires check_ring_rows(); x
// must outlive the launch. rows: value of the kernel's parameter `rows`.
Launch launch_ring_rows(std::string_view kernel, std::span<const Tensor> x, const Tensor& rings,
                        std::int64_t rows, const CollectiveOptions& options);

// Sets the launch's parameters of a sum on rings from the options. Fails for a tile without
// elements.
Expected<void> set_reduction(Launch& launch, const ReduceOptions& options);

}  // namespace tessera
