// What others do with the same operands, for measuring beside our own runs. Nothing is judged by
// them.
#pragma once
#include <cstdint>
#include <span>

#include "core/data/tensor.h"

namespace tessera {

// One Eigen product for each group, each on so many threads (where this was built with OpenMP),
// compiled for this very processor: out[rows of g] = lhs[rows of g] . rhs[g], all of them f32 and
// row-major.
void eigen_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                          std::span<const std::int64_t> group_sizes, Tensor& out, int threads = 1);

}  // namespace tessera
