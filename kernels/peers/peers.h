// Other libraries on the same operands, for comparison of run times. Not used to check results.
#pragma once
#include <cstdint>
#include <span>

#include "core/data/tensor.h"

namespace tessera {

// Computes out[rows of g] = lhs[rows of g] . rhs[g], all f32 and row-major, with one Eigen product
// for each group. Rows of no group are not written. Shapes and sizes must fit; they are not
// checked. Compiled for this processor. threads: per product, if built with OpenMP.
void eigen_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                          std::span<const std::int64_t> group_sizes, Tensor& out, int threads = 1);

}  // namespace tessera
