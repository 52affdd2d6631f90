#include "kernels/grouped_gemm/validate.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/try.h"
#include "kernels/grouped_gemm/alignment.h"
#include "kernels/grouped_gemm/axes.h"
#include "kernels/grouped_gemm/grouped_gemm.h"
#include "kernels/grouped_gemm/groups.h"
#include "kernels/grouped_gemm/linear_terms.h"
#include "kernels/grouped_gemm/operands.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera {
namespace {

// Checks whether both operands can be quantised with these quantizers.
Expected<void> check_quantizers(const GroupedGemmCall& call, const QuantizeSpec& l,
                                const QuantizeSpec& r) {
  if (l.mode != r.mode)
    return error(ErrorCode::invalid_type,
                 fmt::format("Expected quantizer_set.x and quantizer_set.kernel to have the same "
                             "type, but got {} and {}",
                             name(l.mode), name(r.mode)));
  if (call.lhs.mode != ScalingMode::NoScaling)
    return error(ErrorCode::invalid_type,
                 "Expected lhs to be GroupedNoScaleTensor before quantization, got "
                 "type=GroupedScaledTensor1x");
  for (const auto& spec : {&l, &r})
    if (spec->mode != ScalingMode::NoScaling) {
      TRY(check_quantised(spec->dtype));
      if (spec->mode != ScalingMode::DelayedTensor && !spec->delayed_scales.empty())
        return error(fmt::format("delayed_scales are for {}, and the mode is {}",
                                 name(ScalingMode::DelayedTensor), name(spec->mode)));
    }
  return check_quantised_pair(l.dtype, r.dtype);
}

// Quantises both operands if the options have quantizers. The operands are divided into groups
// first.
Expected<void> quantise(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  const auto &l = options.lhs_quantizer, &r = options.rhs_quantizer;
  if (!l && !r) return {};
  if (!l || !r) return error("both operands have a quantizer, or none");
  TRY(check_quantizers(call, *l, *r));
  TRY(cut_into_groups(call, options));
  TRY(check_extents(call));
  if (unsupported_reason(l->mode).empty()) TRY(check_alignment(call, l->mode));
  GroupedTensor lhs = TRY(
      quantize_grouped(call.lhs, call.lhs_boundary, call.product.groups(), call.lhs_along(), *l));
  GroupedTensor rhs = TRY(
      quantize_grouped(call.rhs, call.rhs_boundary, call.product.groups(), call.rhs_along(), *r));
  call.lhs = std::move(lhs);
  call.rhs = std::move(rhs);
  return {};
}

Expected<void> check_all_scales(const GroupedGemmCall& call) {
  TRY(check_scales("lhs", call.lhs, call.left, call.lhs_along()));
  return check_scales("rhs", call.rhs, call.right, call.rhs_along());
}

// Returns the call with its operands quantised, before the checks of types and scales.
Expected<GroupedGemmCall> quantised_call(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                         const GroupedGemmOptions& options) {
  GroupedGemmCall call;
  call.lhs = lhs;
  call.rhs = rhs;
  TRY(check_data_and_modes(call));
  TRY(count_groups(call));
  TRY(merge_axes(call, options));
  TRY(quantise(call, options));
  return call;
}

}  // namespace

Expected<GroupedOperands> quantized_operands(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                             const GroupedGemmOptions& options) {
  GroupedGemmCall call = TRY(quantised_call(lhs, rhs, options));
  TRY(cut_into_groups(call, options));
  GroupedOperands both{call.lhs, call.rhs};
  if (!call.is_mx()) return both;
  if (!call.lhs.pre_swizzled)
    both.lhs = TRY(swizzle_grouped("lhs", call.lhs, call.lhs_boundary, call.product.groups(),
                                   call.lhs_along()));
  if (!call.rhs.pre_swizzled)
    both.rhs = TRY(swizzle_grouped("rhs", call.rhs, call.rhs_boundary, call.product.groups(),
                                   call.rhs_along()));
  return both;
}

// Makes the checks of transformer_engine/jax grouped_gemm in the same order and with the same
// messages, and the checks that it dropped or leaves to its C++ layers.
Expected<GroupedGemmCall> validate_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                                const GroupedGemmOptions& options) {
  GroupedGemmCall call = TRY(quantised_call(lhs, rhs, options));
  TRY(check_types(call, options));
  TRY(cut_into_groups(call, options));
  TRY(check_extents(call));
  TRY(check_alignment(call, call.lhs.mode));
  TRY(check_all_scales(call));
  TRY(shape_result(call, options));
  TRY(take_linear_terms(call, options));
  return call;
}

}  // namespace tessera
