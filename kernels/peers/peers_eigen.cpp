// Only this file is compiled with the processor's own instructions. They change the code and the
// alignment in Eigen's functions, so these functions need separate symbols.
#define Eigen eigen_for_this_processor
#include <Eigen/Core>

#include "kernels/peers/peers.h"

namespace tessera {

void eigen_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                          std::span<const std::int64_t> group_sizes, Tensor& out, int threads) {
  Eigen::setNbThreads(threads);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::int64_t k = lhs.dim(1), n = out.dim(1);
  std::int64_t row = 0;
  for (std::size_t g = 0; g < group_sizes.size(); ++g) {
    const std::int64_t rows = group_sizes[g];
    const Eigen::Map<const Matrix> a(lhs.as<float>() + row * k, rows, k);
    const Eigen::Map<const Matrix> b(rhs.as<float>() + static_cast<std::int64_t>(g) * k * n, k, n);
    Eigen::Map<Matrix>(out.as<float>() + row * n, rows, n).noalias() = a * b;
    row += rows;
  }
}

}  // namespace tessera
