// Operands that are made for a run.
#pragma once
#include <cstdint>

#include "core/data/tensor.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// An operand that is filled at the first access to its elements, as in fill(). A run that is
// rejected, or that computes no values, fills no operand.
Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed);

}  // namespace tessera::cli
