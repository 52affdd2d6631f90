// Checks results of the moe suite against the reference.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bench/moe_run.h"
#include "core/report/try.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::bench {
namespace {

// Reads elements from the device, beginning at index `element`, until `to` is full.
Expected<void> from_device(Workbench& bench, Tensor& to, std::uint64_t from, std::int64_t element) {
  return bench.read(to, from + static_cast<std::uint64_t>(element * size_of(to.dtype())));
}

CheckOptions sampled(const Executable& kernel) {
  CheckOptions options;
  options.check = Check::sample;
  options.sum_error = kernel.sum_error();
  return options;
}

}  // namespace

Expected<void> MoeRun::run_poisoned(const Enqueue& enqueue) {
  TRY(bench->poison(out, out_bytes));
  TRY(enqueue());
  TRY(bench->synchronise());
  return kernel->check();
}

std::string MoeRun::check(const Enqueue& enqueue) {
  if (const Expected<void> ran = run_poisoned(enqueue); !ran) return ran.diags().front().message;
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < product.sizes.size(); ++g) {
    if (product.sizes[g] > 0) groups.push_back(g);
  }
  if (groups.empty()) return "ok";
  const auto longest =
      std::max_element(product.sizes.begin(), product.sizes.end()) - product.sizes.begin();
  for (const std::size_t g : {groups.front(), static_cast<std::size_t>(longest),
                              groups[groups.size() / 2], groups.back()}) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < g; ++i) first += product.sizes[i];
    const std::string outcome = check_group(g, first);
    if (outcome != "ok") return fmt::format("group {}: {}", g, outcome);
  }
  return "ok";
}

std::string MoeRun::check_group(std::size_t group, std::int64_t first) const {
  return product.is_tgmm() ? check_block(group, first) : check_rows(group, first);
}

// Checks the first and last rows of the block, which are columns of lhs.
std::string MoeRun::check_block(std::size_t group, std::int64_t first) const {
  const std::int64_t size = product.sizes[group], g = static_cast<std::int64_t>(group);
  constexpr std::int64_t each = 4;
  Tensor whole(DType::bf16, {size, product.k}), b(DType::bf16, {size, product.n});
  for (const Expected<void>& failed : {from_device(*bench, whole, lhs, first * product.k),
                                       from_device(*bench, b, rhs, first * product.n)}) {
    if (!failed) return failed.diags().front().message;
  }
  Tensor a(DType::bf16, {size, 2 * each}), c(DType::bf16, {1, 2 * each, product.n});
  for (std::int64_t half = 0; half < 2; ++half) {
    const std::int64_t from = half == 0 ? 0 : product.k - each;
    for (std::int64_t r = 0; r < size; ++r) {
      std::memcpy(a.data() + 2 * (r * 2 * each + half * each),
                  whole.data() + 2 * (r * product.k + from), 2 * each);
    }
    Tensor rows(DType::bf16, {each, product.n});
    if (auto read = from_device(*bench, rows, out, (g * product.k + from) * product.n); !read)
      return read.diags().front().message;
    std::memcpy(c.data() + half * rows.bytes(), rows.data(),
                static_cast<std::size_t>(rows.bytes()));
  }
  GroupedProblem problem;
  problem.local_groups = 1;
  problem.lhs = &a;
  problem.rhs = &b;
  problem.group_sizes = {size};
  const Verdict verdict = check_tgmm(problem, c, sampled(*kernel));
  return verdict.ok ? "ok" : verdict.message;
}

// Checks the first and last rows of the group with the group's weights.
std::string MoeRun::check_rows(std::size_t group, std::int64_t first) const {
  const std::int64_t size = product.sizes[group], g = static_cast<std::int64_t>(group);
  const std::int64_t rows = std::min<std::int64_t>(size, 8), head = rows / 2 + rows % 2;
  const Shape weights =
      product.transpose_rhs ? Shape{1, product.n, product.k} : Shape{1, product.k, product.n};
  Tensor a(product.lhs, {rows, product.k}), b(product.lhs, weights),
      c(DType::bf16, {rows, product.n});
  if (auto read = from_device(*bench, b, rhs, g * product.k * product.n); !read)
    return read.diags().front().message;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t row = first + (r < head ? r : size - rows + r);
    Tensor one(product.lhs, {1, product.k}), result(DType::bf16, {1, product.n});
    if (auto read = from_device(*bench, one, lhs, row * product.k); !read)
      return read.diags().front().message;
    if (auto read = from_device(*bench, result, out, row * product.n); !read)
      return read.diags().front().message;
    std::memcpy(a.data() + r * one.bytes(), one.data(), static_cast<std::size_t>(one.bytes()));
    std::memcpy(c.data() + r * result.bytes(), result.data(),
                static_cast<std::size_t>(result.bytes()));
  }
  GroupedProblem problem;
  problem.local_groups = 1;
  problem.lhs = &a;
  problem.rhs = &b;
  problem.group_sizes = {rows};
  problem.transpose_rhs = product.transpose_rhs;
  const Verdict verdict = check_gmm(problem, c, sampled(*kernel));
  return verdict.ok ? "ok" : verdict.message;
}

}  // namespace tessera::bench
