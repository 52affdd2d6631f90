// The moe suite: the 25 shapes on a GPU, beside cuBLAS in a loop over the groups, in one grouped
// call, and on a dense product of as many operations; some of them also of e4m3, beside the dense
// product of bf16. Times are the device's own, each after the L2
// cache was overwritten.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/bench.h"
#include "bench/moe_run.h"
#include "devices/cuda/runtime/cublas.h"
#include "kernels/inputs/moe_suite.h"

namespace tessera::bench {
namespace {

using cuda::CublasProduct;
using cuda::Problem;

// What cuBLAS multiplies in bf16, group by group and in one call; each is checked.
void add_grouped_peers(const std::shared_ptr<MoeRun>& run, BenchCase& result) {
  const std::vector<CublasProduct> products = run->products();
  run->grouped = std::make_unique<cuda::CublasGrouped>(products);
  const auto loop = [products]() -> Problem {
    for (const CublasProduct& p : products) {
      if (auto problem = cuda::cublas_product(p)) return problem;
    }
    return std::nullopt;
  };
  const auto grouped = [run] { return run->grouped->run(); };
  result.peers.push_back({"cublas_loop", [run, loop] { return run->timed(loop); }});
  result.peers.push_back({"cublas_grouped", [run, grouped] { return run->timed(grouped); }});
  result.check = [run, loop, grouped, ours = result.check]() -> std::string {
    if (const std::string outcome = ours(); outcome != "ok") return outcome;
    if (const std::string outcome = run->check(loop); outcome != "ok")
      return "cublas_loop, " + outcome;
    const std::string outcome = run->check(grouped);
    return outcome == "ok" ? "ok" : "cublas_grouped, " + outcome;
  };
}

BenchEntry moe_entry(const MoeShape& shape, bool transposed, DType operand = DType::bf16) {
  const std::string layout = shape.product.is_tgmm() ? "tn" : transposed ? "nt" : "nn";
  const bool is_bf16 = operand == DType::bf16;
  const std::string name = fmt::format("{}_{}{}", shape.id, layout,
                                       is_bf16 ? "" : "_" + std::string(tessera::name(operand)));
  return {name, [=]() -> Expected<BenchCase> {
            const auto run = std::make_shared<MoeRun>();
            run->product = shape.product;
            run->product.transpose_rhs = transposed;
            run->product.lhs = run->product.rhs = operand;
            run->seed = shape.seed;
            if (auto problem = run->prepare()) return *problem;
            BenchCase result;
            result.name = name;
            result.run = [run] { return run->timed([&] { return run->run_ours(); }); };
            result.check = [run] { return run->check([&] { return run->run_ours(); }); };
            if (cuda::cublas_available().ok) {
              if (is_bf16) add_grouped_peers(run, result);
              result.peers.push_back({is_bf16 ? "cublas_dense" : "cublas_dense_bf16", [run] {
                                        return run->timed([&] { return run->run_dense(); });
                                      }});
            }
            result.work = static_cast<double>(shape.flops()) * 1e-12;
            result.unit = "TFLOP/s";
            return result;
          }};
}

}  // namespace

// gmm shapes in both storages of the weights; large groups also of e4m3.
std::vector<BenchEntry> moe_entries() {
  constexpr std::array narrow{"S1", "S4", "S8", "S19", "S21"};
  std::vector<BenchEntry> entries;
  for (const MoeShape& shape : moe_suite()) {
    if (!shape.product.is_tgmm()) {
      entries.push_back(moe_entry(shape, false));
      entries.push_back(moe_entry(shape, true));
      if (std::find(narrow.begin(), narrow.end(), shape.id) != narrow.end())
        entries.push_back(moe_entry(shape, true, DType::e4m3));
    } else {
      entries.push_back(moe_entry(shape, false));
    }
  }
  return entries;
}

}  // namespace tessera::bench
