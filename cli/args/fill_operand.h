// Generated operands of a run.
#pragma once
#include <cstdint>

#include "core/data/tensor.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// Returns an operand that is filled, as by fill(), at the first access to its elements. A run that
// is rejected or computes no values therefore fills no operand.
// terms: max number of products in a sum of the result; seed: with it, values are repeatable.
Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed);

}  // namespace tessera::cli
