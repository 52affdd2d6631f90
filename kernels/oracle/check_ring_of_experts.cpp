// Check of a ring of experts against weighted sums of the reference's products.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/collective/rings.h"
#include "kernels/experts/ring_of_experts_validate.h"
#include "kernels/oracle/check_collective.h"
#include "kernels/oracle/reference.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;
using Rows = std::vector<std::int64_t>;

// Weighted sums of some tokens, in f64.
struct Sums {
  std::int64_t columns = 0;
  Rows at;  // row in this object by token; -1: none
  std::vector<double> value, magnitude;
  // Product with the largest magnitude among a token's choices, before the weight.
  std::vector<double> product, product_magnitude;
  // Bound for the loss in units that flush subnormals, in smallest normal numbers. A choice with
  // weight w and product y = sum over i of a[i] * b[i] adds |w| * (1 + |a| + |b|) for every term
  // (Judge multiplies by the number of terms), |w| and |y| for the reads of w and y, and one each
  // for w * y and its addition.
  std::vector<double> flushed;

  Sums(const Rows& tokens, std::int64_t count, std::int64_t width)
      : columns(width), at(static_cast<std::size_t>(count), -1) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      at[static_cast<std::size_t>(tokens[i])] = static_cast<std::int64_t>(i);
    for (auto* all : {&value, &magnitude, &product, &product_magnitude, &flushed})
      all->resize(tokens.size() * static_cast<std::size_t>(width));
  }

  void add(const ReferenceBlock& block, std::int64_t r, std::int64_t token, double weight) {
    const auto to =
        static_cast<std::size_t>(at[static_cast<std::size_t>(token)] * columns + block.column);
    const double w = std::abs(weight);
    for (std::int64_t c = 0; c < block.columns; ++c) {
      const std::int64_t from = r * block.columns + c;
      const auto i = to + static_cast<std::size_t>(c);
      value[i] += weight * block.value[from];
      if (!block.magnitude) continue;
      magnitude[i] += w * block.magnitude[from];
      if (block.magnitude[from] > product_magnitude[i]) {
        product_magnitude[i] = block.magnitude[from];
        product[i] = block.value[from];
      }
      flushed[i] += w * (2 + block.row_largest[r] + block.column_largest[c]) +
                    std::abs(block.value[from]) + 2;
    }
  }
};

// Returns the rows, in the order of experts, of the tokens that are checked.
Rows rows_of(const Routing& routing, const Sums& sums) {
  Rows rows;
  for (std::size_t r = 0; r < routing.choice.size(); ++r)
    if (sums.at[static_cast<std::size_t>(routing.choice[r] / routing.top_k)] >= 0)
      rows.push_back(static_cast<std::int64_t>(r));
  return rows;
}

Rows sizes_of(const Routing& routing) {
  const auto* const sizes = routing.group_sizes.as<std::int32_t>();
  return Rows(sizes, sizes + routing.group_sizes.elements());
}

// Checks one ring. problem: its routed rows and the matrices of all experts; weights, out: of all
// its tokens.
Verdict check_ring(const GroupedProblem& problem, const Routing& routing, const Tensor& weights,
                   const Tensor& out, const CheckOptions& how) {
  Arithmetic arithmetic =
      Arithmetic::of(problem.lhs->dtype(), problem.rhs->dtype(), out.dtype(), how.values);
  arithmetic.flushes = true;  // weights are f32
  const std::int64_t n = out.dim(1), k = problem.lhs->dim(1);
  const Rows tokens = checked_rows(out.dim(0), {}, how.check, how.seed);
  Sums sums(tokens, out.dim(0), n);
  reference_gmm(
      problem, rows_of(routing, sums), arithmetic.exact ? Magnitude::none : Magnitude::wanted,
      [&](const ReferenceBlock& block) {
        for (std::size_t r = 0; r < block.rows.size(); ++r) {
          const std::int64_t choice = routing.choice[static_cast<std::size_t>(block.rows[r])];
          sums.add(block, static_cast<std::int64_t>(r), choice / routing.top_k,
                   weights.as<float>()[choice]);
        }
      });
  // Roundings of a product: k - 1 sums, its weight, and the sums of top_k choices in any order.
  // Devices without any of the token's choices add zeros without error.
  const std::int64_t terms = k == 0 ? 0 : k + routing.top_k - 1;
  Judge judge(out, arithmetic);
  const double none = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::size_t at = t * static_cast<std::size_t>(n);
    judge.see({.rows = std::span<const std::int64_t>(&tokens[t], 1),
               .columns = n,
               .terms = terms,
               .value = sums.value.data() + at,
               .magnitude = sums.magnitude.data() + at,
               .row_largest = &none,
               .column_largest = sums.flushed.data() + at,
               .epilogue = k == 0 ? 0 : 1,
               .sum = sums.product.data() + at,
               .sum_magnitude = sums.product_magnitude.data() + at});
  }
  return judge.verdict();
}

}  // namespace

Verdict check_ring_of_experts(Tensors lhs, Tensors rhs, Tensors experts, Tensors weights,
                              const Tensor& rings, const Launch& done,
                              const RingOfExpertsOptions& options, const CheckOptions& how) {
  const auto call = validate_ring_of_experts(lhs, rhs, experts, weights, rings, options);
  if (!call) return unjudged(call.diags());
  std::vector<Verdict> verdicts;
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const auto of = [&](Tensors all) {
      return joined(rings, ring, 0, [all](std::size_t d) -> const Tensor& { return all[d]; });
    };
    const Routing& routing = call->routes[static_cast<std::size_t>(ring)];
    const Tensor rows = *routed_rows(of(lhs), routing), matrices = of(rhs);
    const GroupedProblem problem{.lhs = &rows,
                                 .rhs = &matrices,
                                 .group_sizes = sizes_of(routing),
                                 .local_groups = matrices.dim(0),
                                 .transpose_rhs = options.transpose_rhs};
    const Tensor out =
        joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return done.result(d); });
    verdicts.push_back(check_ring(problem, routing, of(weights), out, how));
  }
  return together_on_rings(verdicts, rings, done);
}

}  // namespace tessera
