// The moe suite: the 25 shapes on a GPU, beside cuBLAS in a loop over the groups, in one grouped
// call, and on a dense product of as many operations; some of them also of e4m3, beside the dense
// product of bf16. Times are the device's own, each after the L2
// cache was overwritten.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "bench/bench.h"
#include "devices/cuda/runtime/cublas.h"
#include "devices/cuda/runtime/device_arrays.h"
#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/timer.h"
#include "kernels/grouped_matmul/on_gpu.h"
#include "kernels/inputs/fill.h"
#include "kernels/inputs/moe_suite.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera::bench {
namespace {

using cuda::CublasProduct;
using cuda::Problem;

struct MoeRun {
  MoeShape shape;
  bool transposed = false;
  DType operand = DType::bf16;
  std::vector<std::int64_t> sizes;
  cuda::DeviceArrays arrays;
  std::uint64_t lhs = 0, rhs = 0, out = 0, group_sizes = 0;
  std::uint64_t dense_lhs = 0, dense_rhs = 0;  // bf16, for cuBLAS
  std::int64_t out_bytes = 0;
  std::unique_ptr<Executable> kernel;
  std::unique_ptr<cuda::CublasGrouped> grouped;
  std::shared_ptr<cuda::DeviceTimer> timer;

  bool is_tgmm() const { return shape.kind == MoeKind::tgmm; }

  // For the chain that chooses: what `gmm-run tune` kept, else the model's first.
  GroupedTuningProblem tuning_problem() const;
  Problem prepare();
  std::vector<CublasProduct> products() const;
  Problem run_ours() {
    const Expected<void> launched = kernel->launch(
        {{"lhs", lhs}, {"rhs", rhs}, {"group_sizes", group_sizes}, {"out", out}}, nullptr);
    return launched ? Problem() : Problem(launched.diags().front());
  }
  Problem run_dense();
  Expected<double> timed(const std::function<Problem()>& enqueue) {
    return timer->seconds(enqueue);
  }
  std::string check(const std::function<Problem()>& enqueue);
  std::string check_group(std::size_t group, std::int64_t first);
};

GroupedTuningProblem MoeRun::tuning_problem() const {
  GroupedTuningProblem about;
  about.platform = Platform::Cuda;
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

// One product for each group that has rows.
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

// As many operations in one dense product, or in a batch of equal reductions.
Problem MoeRun::run_dense() {
  if (!is_tgmm())
    return cuda::cublas_product(
        {shape.rows, shape.n, shape.k, false, transposed, dense_lhs, dense_rhs, out});
  const std::int64_t rows = shape.rows / shape.groups / 8 * 8;
  return cuda::cublas_batch({shape.k, shape.n, rows, true, false, lhs, rhs, out}, shape.groups,
                            rows * shape.k, rows * shape.n, shape.k * shape.n);
}

// What `enqueue` computes in a poisoned result, against the reference: the first and the last group
// with rows, the longest, and their first and last rows (tgmm: rows of the block).
std::string MoeRun::check(const std::function<Problem()>& enqueue) {
  if (auto problem = cuda::set_bytes(out, 0xFF, static_cast<std::size_t>(out_bytes), nullptr))
    return problem->message;
  if (auto problem = enqueue()) return problem->message;
  if (auto problem = cuda::synchronise(nullptr)) return problem->message;
  if (const Expected<void> checked = kernel->check(); !checked)
    return checked.diags().front().message;
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    if (sizes[g] > 0) groups.push_back(g);
  }
  if (groups.empty()) return "ok";
  const auto longest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  for (const std::size_t g : {groups.front(), static_cast<std::size_t>(longest),
                              groups[groups.size() / 2], groups.back()}) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < g; ++i) first += sizes[i];
    const std::string outcome = check_group(g, first);
    if (outcome != "ok") return fmt::format("group {}: {}", g, outcome);
  }
  return "ok";
}

std::string MoeRun::check_group(std::size_t group, std::int64_t first) {
  const auto get = [](Tensor& to, std::uint64_t from, std::int64_t element) {
    return cuda::to_host(to.data(),
                         from + static_cast<std::uint64_t>(element * size_of(to.dtype())),
                         static_cast<std::size_t>(to.bytes()));
  };
  const std::int64_t size = sizes[group], g = static_cast<std::int64_t>(group);
  GroupedProblem problem;
  problem.local_groups = 1;
  CheckOptions options;
  options.check = Check::sample;
  options.sum_error = kernel->sum_error();
  if (is_tgmm()) {
    // The block's first and last rows: columns of lhs.
    constexpr std::int64_t each = 4;
    Tensor whole(DType::bf16, {size, shape.k}), b(DType::bf16, {size, shape.n});
    for (const auto& failed : {get(whole, lhs, first * shape.k), get(b, rhs, first * shape.n)}) {
      if (failed) return failed->message;
    }
    Tensor a(DType::bf16, {size, 2 * each}), c(DType::bf16, {1, 2 * each, shape.n});
    for (std::int64_t half = 0; half < 2; ++half) {
      const std::int64_t from = half == 0 ? 0 : shape.k - each;
      for (std::int64_t r = 0; r < size; ++r) {
        std::memcpy(a.data() + 2 * (r * 2 * each + half * each),
                    whole.data() + 2 * (r * shape.k + from), 2 * each);
      }
      Tensor rows(DType::bf16, {each, shape.n});
      if (auto failed = get(rows, out, (g * shape.k + from) * shape.n)) return failed->message;
      std::memcpy(c.data() + half * rows.bytes(), rows.data(),
                  static_cast<std::size_t>(rows.bytes()));
    }
    problem.lhs = &a;
    problem.rhs = &b;
    problem.group_sizes = {size};
    const Verdict verdict = check_tgmm(problem, c, options);
    return verdict.ok ? "ok" : verdict.message;
  }
  // The group's first and last rows against its weights.
  const std::int64_t rows = std::min<std::int64_t>(size, 8), head = rows / 2 + rows % 2;
  const Shape weights = transposed ? Shape{1, shape.n, shape.k} : Shape{1, shape.k, shape.n};
  Tensor a(operand, {rows, shape.k}), b(operand, weights), c(DType::bf16, {rows, shape.n});
  if (auto failed = get(b, rhs, g * shape.k * shape.n)) return failed->message;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t row = first + (r < head ? r : size - rows + r);
    Tensor one(operand, {1, shape.k}), result(DType::bf16, {1, shape.n});
    if (auto failed = get(one, lhs, row * shape.k)) return failed->message;
    if (auto failed = get(result, out, row * shape.n)) return failed->message;
    std::memcpy(a.data() + r * one.bytes(), one.data(), static_cast<std::size_t>(one.bytes()));
    std::memcpy(c.data() + r * result.bytes(), result.data(),
                static_cast<std::size_t>(result.bytes()));
  }
  problem.lhs = &a;
  problem.rhs = &b;
  problem.group_sizes = {rows};
  problem.transpose_rhs = transposed;
  const Verdict verdict = check_gmm(problem, c, options);
  return verdict.ok ? "ok" : verdict.message;
}

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
  const std::string layout = shape.kind == MoeKind::tgmm ? "tn" : transposed ? "nt" : "nn";
  const bool is_bf16 = operand == DType::bf16;
  const std::string name = fmt::format("{}_{}{}", shape.id, layout,
                                       is_bf16 ? "" : "_" + std::string(tessera::name(operand)));
  return {name, [=]() -> Expected<BenchCase> {
            const auto run = std::make_shared<MoeRun>();
            run->shape = shape;
            run->transposed = transposed;
            run->operand = operand;
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
    if (shape.kind != MoeKind::tgmm) {
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
