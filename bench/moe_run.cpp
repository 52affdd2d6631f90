#include "bench/moe_run.h"

#include <utility>

#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/inputs/fill.h"
#include "kernels/tuning/device_tuning.h"

namespace tessera::bench {

GroupedTuningProblem MoeRun::tuning_problem() const {
  GroupedTuningProblem about;
  about.platform = Platform(launching_device().name());
  about.desc = product;
  return about;
}

Expected<void> MoeRun::prepare() {
  bench = TRY(launching_device().workbench());
  const GroupedTuningProblem about = tuning_problem();
  const KernelConfig config = TRY(choose_config(question_of(about))).config.kernel;
  kernel = TRY(device_grouped_matmul(multiplied_desc(about), config));
  const std::int64_t weights = product.groups() * product.k * product.n,
                     columns = product.m * product.n;
  const std::int64_t right = product.is_tgmm() ? columns : weights;
  out_bytes = 2 * (product.is_tgmm() ? weights : columns);
  const auto random = [&](const char* name, DType type, std::int64_t elements, std::uint64_t seed) {
    return bench->add({name, type, elements, normal_block(type, elements, seed)});
  };
  lhs = TRY(random("lhs", product.lhs, product.m * product.k, seed));
  rhs = TRY(random("rhs", product.lhs, right, seed + 1));
  out = TRY(bench->add({"out", DType::bf16, out_bytes / 2, std::nullopt}));
  dense_lhs = lhs;
  dense_rhs = rhs;
  if (product.lhs != DType::bf16) {
    dense_lhs = TRY(random("lhs", DType::bf16, product.m * product.k, seed));
    dense_rhs = TRY(random("rhs", DType::bf16, product.k * product.n, seed + 1));
  }
  Tensor on_host = i32_tensor(product.sizes);
  const std::int64_t groups = on_host.elements();
  group_sizes = TRY(bench->add({"group_sizes", DType::i32, groups, std::move(on_host)}));
  return {};
}

Expected<void> MoeRun::run_ours() {
  return kernel->launch({{"lhs", lhs}, {"rhs", rhs}, {"group_sizes", group_sizes}, {"out", out}},
                        nullptr);
}

std::vector<DenseProduct> MoeRun::products() const {
  std::vector<DenseProduct> list;
  std::uint64_t row = 0;
  for (std::size_t g = 0; g < product.sizes.size(); ++g) {
    const auto rows = static_cast<std::uint64_t>(product.sizes[g]);
    const auto k = static_cast<std::uint64_t>(product.k), n = static_cast<std::uint64_t>(product.n);
    DenseProduct p;
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

Expected<void> MoeRun::run_dense() {
  if (!product.is_tgmm())
    return bench->peer()->product(
        {product.m, product.n, product.k, false, product.transpose_rhs, dense_lhs, dense_rhs, out});
  const std::int64_t rows = product.m / product.groups() / 8 * 8;
  return bench->peer()->batch({product.k, product.n, rows, true, false, lhs, rhs, out},
                              product.groups(), rows * product.k, rows * product.n,
                              product.k * product.n);
}

}  // namespace tessera::bench
