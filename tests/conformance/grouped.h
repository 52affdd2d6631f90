// Calls of gmm and tgmm on generated operands, each judged against the reference.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::grouped {

using Sizes = std::vector<std::int64_t>;

inline Tensor made(DType dtype, Shape shape, FillRole role, Fill kind, std::int64_t terms,
                   std::uint64_t seed) {
  Tensor tensor(dtype, std::move(shape));
  fill(tensor, kind, role, terms, seed);
  return tensor;
}

inline Tensor sizes_tensor(const Sizes& sizes, DType dtype = DType::i32) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    tensor.set(static_cast<std::int64_t>(g), static_cast<double>(sizes[g]));
  }
  return tensor;
}

inline GroupedMatmulOptions on_interpreter() {
  GroupedMatmulOptions options;
  options.device = "interpreter";
  return options;
}

inline std::string text(const Diags& diags) {
  return diags.empty() ? "no diagnostics" : render(diags);
}

// A product of f32 operands, and how they are made. The options say what of it they have: the type
// of the result, the window, the layouts. Without local_groups there are the matrices of all
// groups.
struct Case : GroupedDesc {
  Case() { lhs = rhs = DType::f32; }

  Fill fill = Fill::integers;
  GroupedMatmulOptions options = on_interpreter();
  std::uint64_t seed = 1;

  std::int64_t local() const { return local_groups > 0 ? local_groups : groups(); }
  Tensor lhs_tensor() const { return made(lhs, {m, k}, FillRole::lhs, fill, k, seed); }
  Tensor rhs_tensor() const {
    const Shape shape = options.transpose_rhs ? Shape{local(), n, k} : Shape{local(), k, n};
    return made(rhs, shape, FillRole::rhs, fill, k, seed + 1);
  }
};

inline CheckOptions how(Fill fill) {
  CheckOptions options;
  options.values =
      fill == Fill::integers ? Arithmetic::Values::small_integers : Arithmetic::Values::any;
  return options;
}

// Runs the call and judges all of its result; an empty tensor when there is none.
inline Tensor expect_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                         const GroupedMatmulOptions& options, Fill fill) {
  Expected<Tensor> out = grouped_matmul(lhs, rhs, sizes, options);
  EXPECT_TRUE(out) << (out ? "" : text(out.diags()));
  if (!out) return Tensor(options.out_dtype, {0, 0});
  const Expected<GroupedProblem> problem = gmm_problem(lhs, rhs, sizes, options);
  EXPECT_TRUE(problem);
  const Verdict verdict = check_gmm(*problem, *out, how(fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  if (out->elements() > 0) {
    EXPECT_EQ(verdict.checked_rows, out->dim(0));
  }
  EXPECT_EQ(out->dtype(), options.out_dtype);
  return *std::move(out);
}

inline Tensor expect_gmm(const Case& c) {
  return expect_gmm(c.lhs_tensor(), c.rhs_tensor(), sizes_tensor(c.sizes), c.options, c.fill);
}

inline Tensor expect_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                          const GroupedMatmulOptions& options, Fill fill) {
  Expected<Tensor> out = transposed_grouped_matmul(lhs, rhs, sizes, options);
  EXPECT_TRUE(out) << (out ? "" : text(out.diags()));
  if (!out) return Tensor(options.out_dtype, {0, 0, 0});
  const Expected<GroupedProblem> problem = tgmm_problem(lhs, rhs, sizes, options);
  EXPECT_TRUE(problem);
  const Verdict verdict = check_tgmm(*problem, *out, how(fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  if (out->elements() > 0) {
    EXPECT_EQ(verdict.checked_rows, out->dim(0) * out->dim(1));
  }
  EXPECT_EQ(out->dtype(), options.out_dtype);
  return *std::move(out);
}

// lhs as it is stored, [m, k].
inline Tensor expect_tgmm(Case c) {
  c.options.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  const Tensor lhs = made(c.lhs, {c.m, c.k}, FillRole::lhs, c.fill, c.m, c.seed);
  const Tensor rhs = made(c.rhs, {c.m, c.n}, FillRole::rhs, c.fill, c.m, c.seed + 1);
  return expect_tgmm(lhs, rhs, sizes_tensor(c.sizes), c.options, c.fill);
}

// The gradients of both operands, judged as the products they are.
inline void expect_gradients(const Case& c) {
  const Tensor lhs = c.lhs_tensor(), rhs = c.rhs_tensor(), sizes = sizes_tensor(c.sizes);
  const Tensor cotangent =
      made(c.options.out_dtype, {c.m, c.n}, FillRole::existing, c.fill, 1, c.seed + 2);
  Expected<GroupedMatmulGradients> gradients =
      grouped_matmul_vjp(cotangent, lhs, rhs, sizes, c.options);
  ASSERT_TRUE(gradients) << text(gradients.diags());
  EXPECT_EQ(gradients->lhs.shape(), lhs.shape());
  EXPECT_EQ(gradients->lhs.dtype(), lhs.dtype());
  EXPECT_EQ(gradients->rhs.shape(), rhs.shape());
  EXPECT_EQ(gradients->rhs.dtype(), rhs.dtype());

  const Expected<GroupedProblem> forward = gmm_problem(lhs, rhs, sizes, c.options);
  ASSERT_TRUE(forward);
  GroupedProblem of_lhs = *forward;
  of_lhs.lhs = &cotangent;
  of_lhs.transpose_rhs = !forward->transpose_rhs;
  of_lhs.existing = nullptr;
  const Verdict lhs_verdict = check_gmm(of_lhs, gradients->lhs, how(c.fill));
  EXPECT_TRUE(lhs_verdict.ok) << "dlhs: " << lhs_verdict.message;

  // Of [n, k] weights the gradient is the transposed product: cotangent^T . lhs.
  GroupedProblem of_rhs = *forward;
  of_rhs.lhs = c.options.transpose_rhs ? &cotangent : &lhs;
  of_rhs.rhs = c.options.transpose_rhs ? &lhs : &cotangent;
  of_rhs.transpose_rhs = false;
  of_rhs.existing = nullptr;
  const Verdict rhs_verdict = check_tgmm(of_rhs, gradients->rhs, how(c.fill));
  EXPECT_TRUE(rhs_verdict.ok) << "drhs: " << rhs_verdict.message;
}

}  // namespace tessera::grouped
