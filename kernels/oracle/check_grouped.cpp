#include "kernels/oracle/check_grouped.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/data/splitmix.h"

namespace tessera {
namespace {

using Rows = std::vector<std::int64_t>;
using Reference = void (*)(const GroupedProblem&, std::span<const std::int64_t>, Magnitude,
                           const BlockSink&);

Verdict judge(Reference reference, const GroupedProblem& problem, const Tensor& out,
              const Rows& edges, const CheckOptions& options) {
  Arithmetic arithmetic =
      Arithmetic::of(problem.lhs->dtype(), problem.rhs->dtype(), out.dtype(), options.values);
  arithmetic.wire = options.sum_error;
  const std::int64_t columns = out.dim(out.rank() - 1);
  Judge result(out, arithmetic);
  const Rows rows =
      checked_rows(columns == 0 ? 0 : out.elements() / columns, edges, options.check, options.seed);
  reference(problem, rows, arithmetic.exact ? Magnitude::none : Magnitude::wanted,
            [&](const ReferenceBlock& block) { result.see(block); });
  return result.verdict();
}

}  // namespace

std::optional<Check> parse_check(std::string_view text) {
  if (text == "full") return Check::full;
  if (text == "sample") return Check::sample;
  if (text == "none") return Check::none;
  return std::nullopt;
}

Check default_check(double flops) { return flops > 1e11 ? Check::sample : Check::full; }

Rows checked_rows(std::int64_t rows, const Rows& edges, Check check, std::uint64_t seed) {
  constexpr int seeded = 256;
  Rows chosen;
  if (check == Check::none || rows == 0) return chosen;
  if (check == Check::full || rows <= seeded) {
    chosen.resize(static_cast<std::size_t>(rows));
    std::iota(chosen.begin(), chosen.end(), std::int64_t{0});
    return chosen;
  }
  SplitMix random(seed);
  for (int i = 0; i < seeded; ++i)
    chosen.push_back(static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(rows)));
  for (const std::int64_t edge : edges) chosen.insert(chosen.end(), {edge - 1, edge});
  chosen.insert(chosen.end(), {0, rows - 1});
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::erase_if(chosen, [&](std::int64_t row) { return row < 0 || row >= rows; });
  return chosen;
}

Verdict check_gmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options) {
  const std::int64_t n = problem.rhs->dim(problem.transpose_rhs ? 1 : 2);
  if (auto wrong = misshapen(out, {problem.lhs->dim(0), n})) return *wrong;
  return judge(reference_gmm, problem, out, processed_rows(problem), options);
}

Verdict check_tgmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options) {
  const std::int64_t k = problem.lhs->dim(problem.transpose_lhs ? 0 : 1);
  if (auto wrong = misshapen(out, {problem.local_groups, k, problem.rhs->dim(1)})) return *wrong;
  Rows edges;
  for (std::int64_t g = 0; g < problem.local_groups; ++g) edges.push_back(g * k);
  return judge(reference_tgmm, problem, out, edges, options);
}

}  // namespace tessera
