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
  GroupedDesc& desc = about.desc;
  desc.kind = is_tgmm() ? GroupedKind::tgmm : GroupedKind::gmm;
  desc.m = shape.rows;
  desc.k = shape.k;
  desc.n = shape.n;
  desc.sizes = sizes;
  desc.local_groups = shape.groups;
  desc.lhs = desc.rhs = operand;
  desc.out = DType::bf16;
  desc.transpose_rhs = transposed;
  return about;
}

Problem MoeRun::prepare() {
  Expected<std::shared_ptr<cuda::DeviceTimer>> clock = cuda::DeviceTimer::make();
  if (!clock) return clock.diags().front();
  timer = *std::move(clock);
  sizes = shape.group_sizes();
  const GroupedTuningProblem about = tuning_problem();
  const Expected<Decision<GroupedMatmulConfig>> choice = choose_once(about);
  if (!choice) return choice.diags().front();
  Expected<std::unique_ptr<Executable>> made =
      device_grouped_matmul(multiplied_desc(about), choice->config.kernel);
  if (!made) return made.diags().front();
  kernel = *std::move(made);
  const std::int64_t weights = shape.groups * shape.k * shape.n, columns = shape.rows * shape.n;
  const std::int64_t right = is_tgmm() ? columns : weights;
  out_bytes = 2 * (is_tgmm() ? weights : columns);
  const auto random = [&](std::uint64_t& address, DType type, std::int64_t elements,
                          std::uint64_t seed) -> Problem {
    if (auto problem = arrays.add(address, size_of(type) * elements)) return problem;
    return cuda::DeviceArrays::fill(address, elements, normal_block(type, elements, seed));
  };
  if (auto problem = random(lhs, operand, shape.rows * shape.k, shape.seed)) return problem;
  if (auto problem = random(rhs, operand, right, shape.seed + 1)) return problem;
  if (auto problem = arrays.add(out, out_bytes)) return problem;
  dense_lhs = lhs;
  dense_rhs = rhs;
  if (operand != DType::bf16) {
    if (auto problem = random(dense_lhs, DType::bf16, shape.rows * shape.k, shape.seed))
      return problem;
    if (auto problem = random(dense_rhs, DType::bf16, shape.k * shape.n, shape.seed + 1))
      return problem;
  }
  return arrays.add_sizes(group_sizes, sizes);
}

Problem MoeRun::run_ours() {
  const Expected<void> launched = kernel->launch(
      {{"lhs", lhs}, {"rhs", rhs}, {"group_sizes", group_sizes}, {"out", out}}, nullptr);
  return launched ? Problem() : Problem(launched.diags().front());
}

std::vector<CublasProduct> MoeRun::products() const {
  std::vector<CublasProduct> list;
  std::uint64_t row = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const auto rows = static_cast<std::uint64_t>(sizes[g]);
    const auto k = static_cast<std::uint64_t>(shape.k), n = static_cast<std::uint64_t>(shape.n);
    CublasProduct p;
    if (is_tgmm()) {
      p = {shape.k, shape.n,           sizes[g],          true,
           false,   lhs + 2 * row * k, rhs + 2 * row * n, out + 2 * g * k * n};
    } else {
      p = {sizes[g],
           shape.n,
           shape.k,
           false,
           transposed,
           lhs + 2 * row * k,
           rhs + 2 * g * k * n,
           out + 2 * row * n};
    }
    if (rows > 0) list.push_back(p);
    row += rows;
  }
  return list;
}

Problem MoeRun::run_dense() {
  if (!is_tgmm())
    return cuda::cublas_product(
        {shape.rows, shape.n, shape.k, false, transposed, dense_lhs, dense_rhs, out});
  const std::int64_t rows = shape.rows / shape.groups / 8 * 8;
  return cuda::cublas_batch({shape.k, shape.n, rows, true, false, lhs, rhs, out}, shape.groups,
                            rows * shape.k, rows * shape.n, shape.k * shape.n);
}

}  // namespace tessera::bench
