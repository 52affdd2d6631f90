#include "kernels/grouped_gemm/grouped_gemm.h"
#include "kernels/grouped_gemm/validate.h"
#include "kernels/launch/axes.h"

namespace tessera {

Verdict check_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                           const GroupedGemmOptions& options, const Tensor& out,
                           const CheckOptions& how) {
  const Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return unjudged(call.diags());
  if (auto wrong = misshapen(out, call->out_shape)) return *wrong;
  Tensor lhs_values, rhs_values;
  const Tensor &a = multiplied(*call, call->lhs, call->lhs_boundary, call->lhs_along(), lhs_values),
               &b = multiplied(*call, call->rhs, call->rhs_boundary, call->rhs_along(), rhs_values);
  Arithmetic arithmetic = Arithmetic::of(a.dtype(), b.dtype(), call->product.out, how.values);
  arithmetic.wire = how.sum_error;
  const Tensor flat = reshaped(
      out.clone(), call->ragged_columns ? out.shape() : Shape{call->rows(), call->product.n});
  Judge judge(flat, arithmetic);
  for (const GroupedGemmProblem& problem : grouped_gemm_problems(*call, options, a, b)) {
    const std::vector<std::int64_t> rows =
        checked_rows(problem.columns == 0 ? 0 : problem.rows, problem.edges(), how.check, how.seed);
    reference_grouped_gemm(problem, rows, arithmetic.exact ? Magnitude::none : Magnitude::wanted,
                           [&](const ReferenceBlock& block) {
                             judge.see(block, problem.first_element, problem.columns);
                           });
  }
  return judge.verdict();
}

}  // namespace tessera
