#include "kernels/grouped_gemm/alignment.h"

#include <fmt/format.h>

#include "core/report/try.h"

namespace tessera {
namespace {

constexpr std::int64_t fp8_alignment = 16;

Expected<void> check_fp8(std::string_view whose, const GroupedMatrix& matrix, MxAlong along,
                         bool is_ragged) {
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const std::int64_t k = along == MxAlong::rows ? matrix.groups[g].right : matrix.groups[g].left;
    if (k % fp8_alignment != 0)
      return error(
          fmt::format("cuBLAS GEMM {} tensor's contracting dimension must be a multiple of "
                      "{} when using quantized inputs. Got contracting_size={}{}",
                      whose, fp8_alignment, k, is_ragged ? fmt::format(" in group {}", g) : ""));
  }
  return {};
}

}  // namespace

Expected<void> check_alignment(const GroupedGemmCall& call, ScalingMode mode) {
  if (mode == ScalingMode::NoScaling) return {};
  if (mode == ScalingMode::Mxfp8_1D) {
    TRY(check_mx_blocks("lhs", call.left, call.lhs_along()));
    return check_mx_blocks("rhs", call.right, call.rhs_along());
  }
  TRY(check_fp8("LHS", call.left, call.lhs_along(), call.ragged_contraction));
  return check_fp8("RHS", call.right, call.rhs_along(), call.ragged_contraction);
}

}  // namespace tessera
