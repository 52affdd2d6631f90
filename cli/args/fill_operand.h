// Generated operands of a run.
#pragma once
#include <cstdint>

#include "core/data/tensor.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// Returns an operand that is filled, as by fill(), at the first access to its elements. A run that
// is rejected or computes no values therefore fills no operand.
Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed);

}  // namespace tessera::cli
