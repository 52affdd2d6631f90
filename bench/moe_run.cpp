#include "bench/moe_run.h"

#include <utility>

#include "devices/devices.h"
#include "kernels/inputs/fill.h"
#include "kernels/tuning/device_tuning.h"

namespace tessera::bench {

using cuda::CublasProduct;
using cuda::Problem;

GroupedTuningProblem MoeRun::tuning_problem() const {
  GroupedTuningProblem about;
  about.platform = Platform(launching_device().name());
  about.desc = product;
  return about;
}

Problem MoeRun::prepare() {
  Expected<std::shared_ptr<cuda::DeviceTimer>> clock = cuda::DeviceTimer::make();
  if (!clock) return clock.diags().front();
  timer = *std::move(clock);
  const GroupedTuningProblem about = tuning_problem();
  const Expected<Decision<GroupedMatmulConfig>> choice = choose_config(question_of(about));
  if (!choice) return choice.diags().front();
  Expected<std::unique_ptr<Executable>> made =
      device_grouped_matmul(multiplied_desc(about), choice->config.kernel);
  if (!made) return made.diags().front();
  kernel = *std::move(made);
  const std::int64_t weights = product.groups() * product.k * product.n,
                     columns = product.m * product.n;
  const std::int64_t right = product.is_tgmm() ? columns : weights;
  out_bytes = 2 * (product.is_tgmm() ? weights : columns);
  const auto random = [&](std::uint64_t& address, DType type, std::int64_t elements,
                          std::uint64_t seed) -> Problem {
    if (auto problem = arrays.add(address, size_of(type) * elements)) return problem;
    return cuda::DeviceArrays::fill(address, elements, normal_block(type, elements, seed));
  };
  if (auto problem = random(lhs, product.lhs, product.m * product.k, seed)) return problem;
  if (auto problem = random(rhs, product.lhs, right, seed + 1)) return problem;
  if (auto problem = arrays.add(out, out_bytes)) return problem;
  dense_lhs = lhs;
  dense_rhs = rhs;
  if (product.lhs != DType::bf16) {
    if (auto problem = random(dense_lhs, DType::bf16, product.m * product.k, seed)) return problem;
    if (auto problem = random(dense_rhs, DType::bf16, product.k * product.n, seed + 1))
      return problem;
  }
  return arrays.add_sizes(group_sizes, product.sizes);
}

Problem MoeRun::run_ours() {
  const Expected<void> launched = kernel->launch(
      {{"lhs", lhs}, {"rhs", rhs}, {"group_sizes", group_sizes}, {"out", out}}, nullptr);
  return launched ? Problem() : Problem(launched.diags().front());
}

std::vector<CublasProduct> MoeRun::products() const {
  std::vector<CublasProduct> list;
  std::uint64_t row = 0;
  for (std::size_t g = 0; g < product.sizes.size(); ++g) {
    const auto rows = static_cast<std::uint64_t>(product.sizes[g]);
    const auto k = static_cast<std::uint64_t>(product.k), n = static_cast<std::uint64_t>(product.n);
    CublasProduct p;
    if (product.is_tgmm()) {
      p = {product.k, product.n,         product.sizes[g],  true,
           false,     lhs + 2 * row * k, rhs + 2 * row * n, out + 2 * g * k * n};
    } else {
      p = {product.sizes[g],      product.n,         product.k,           false,
           product.transpose_rhs, lhs + 2 * row * k, rhs + 2 * g * k * n, out + 2 * row * n};
    }
    if (rows > 0) list.push_back(p);
    row += rows;
  }
  return list;
}

Problem MoeRun::run_dense() {
  if (!product.is_tgmm())
    return cuda::cublas_product(
        {product.m, product.n, product.k, false, product.transpose_rhs, dense_lhs, dense_rhs, out});
  const std::int64_t rows = product.m / product.groups() / 8 * 8;
  return cuda::cublas_batch({product.k, product.n, rows, true, false, lhs, rhs, out},
                            product.groups(), rows * product.k, rows * product.n,
                            product.k * product.n);
}

}  // namespace tessera::bench
