#include "kernels/ragged_dot/validate.h"

#include <fmt/format.h>

#include "core/report/try.h"
#include "kernels/launch/operand_type.h"
#include "kernels/ragged_dot/group_sizes.h"
#include "kernels/ragged_dot/operand_order.h"

namespace tessera {
namespace {

// Sets the type in which the operands are multiplied, and the type of the result.
Expected<void> check_types(const RaggedArguments& given, RaggedCall& call) {
  const auto operand = common_operand(given.lhs.dtype(), given.rhs.dtype());
  if (!operand)
    return wrong(fmt::format("ragged_dot multiplies {}, not {} and {}", operand_types_text(),
                             name(given.lhs.dtype()), name(given.rhs.dtype())));
  call.product.lhs = call.product.rhs = *operand;
  call.product.out = given.options.preferred_element_type.value_or(
      given.lhs.dtype() == given.rhs.dtype() ? given.lhs.dtype() : *operand);
  const DType out = call.product.out;
  if (out != DType::f32 && out != DType::bf16 && out != DType::f16 && out != DType::i32)
    return error(ErrorCode::unsupported,
                 fmt::format("ragged_dot stores f32, bf16, f16 or i32, not {}: give a "
                             "preferred_element_type",
                             name(out)));
  if (out == DType::i32 && is_float(*operand))
    return error(ErrorCode::unsupported,
                 fmt::format("an i32 result needs i8 operands, got {} and {}",
                             name(given.lhs.dtype()), name(given.rhs.dtype())));
  return {};
}

}  // namespace

// Makes the checks of jax.lax.ragged_dot_general in the same order and with the same messages.
Expected<RaggedCall> validate_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                         const Tensor& group_sizes, const RaggedDotDims& dims,
                                         const RaggedDotOptions& options) {
  const RaggedArguments given{lhs, rhs, group_sizes, dims, options};
  RaggedCall call;
  call.mode = TRY(ragged_mode(given));
  if (call.mode == RaggedMode::Contracting) call.product.kind = GroupedKind::tgmm;
  call.product.precision = options.precision;
  const RaggedAxes axes = ragged_axes(given, call.mode);
  TRY(count_groups(given, axes, call));
  TRY(check_group_axis(given, call.mode));
  TRY(count_matrices(given, call));
  if (!is_integer(group_sizes.dtype()))
    return wrong("ragged_dot_general requires that group_sizes.dtype is subtype of np.integer.");
  TRY(take_window(given, call));
  TRY(check_types(given, call));
  TRY(check_paired_extents(given));
  order_operands(given, axes, call);
  TRY(take_sizes(given, call));
  return call;
}

}  // namespace tessera
