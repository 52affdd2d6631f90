#include "kernels/grouped_gemm/operands.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "core/report/try.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera {
namespace {

Expected<void> check_data(const GroupedGemmCall& call) {
  for (const auto& [tensor, whose] : {std::pair{&call.lhs, "lhs"}, std::pair{&call.rhs, "rhs"}}) {
    if (tensor->data == nullptr || tensor->data->data() == nullptr)
      return error(fmt::format("{} has no data", whose));
    if (!checked_bytes(DType::i8, tensor->original_shape))
      return error(fmt::format("{} has shape {}, which is negative or too large", whose,
                               to_string(tensor->original_shape)));
  }
  return {};
}

Expected<void> check_modes(const GroupedGemmCall& call) {
  const GroupedTensor &lhs = call.lhs, &rhs = call.rhs;
  if (lhs.dq_dtype != rhs.dq_dtype)
    return error(
        fmt::format("Mismatched output dtypes: {} vs {}", name(lhs.dq_dtype), name(rhs.dq_dtype)));
  if (lhs.mode != rhs.mode) {
    const auto kind = [](const GroupedTensor& tensor) {
      return tensor.mode == ScalingMode::NoScaling ? "GroupedNoScaleTensor"
                                                   : "GroupedScaledTensor1x";
    };
    if (lhs.mode == ScalingMode::NoScaling || rhs.mode == ScalingMode::NoScaling)
      return error(ErrorCode::invalid_type,
                   fmt::format("lhs is {} but rhs is {}; both operands must use the same tensor "
                               "type.",
                               kind(lhs), kind(rhs)));
    return error(fmt::format("Mismatched scaling modes: {} vs {}", name(lhs.mode), name(rhs.mode)));
  }
  if (const std::string_view reason = unsupported_reason(lhs.mode); !reason.empty())
    return error(ErrorCode::unsupported, std::string(reason));
  return {};
}

}  // namespace

Expected<void> check_data_and_modes(const GroupedGemmCall& call) {
  TRY(check_data(call));
  return check_modes(call);
}

Expected<void> count_groups(GroupedGemmCall& call) {
  struct Sizes {
    const char* name;
    const DimSizes* sizes;
  };
  const std::array<Sizes, 4> all = {
      Sizes{"lhs_first_dims", &call.lhs.first_dims}, Sizes{"lhs_last_dims", &call.lhs.last_dims},
      Sizes{"rhs_first_dims", &call.rhs.first_dims}, Sizes{"rhs_last_dims", &call.rhs.last_dims}};
  bool any = false;
  std::int64_t groups = 0;
  for (const Sizes& each : all) {
    if (!*each.sizes) continue;
    any = true;
    if ((*each.sizes)->dtype() != DType::i32) return error("group_sizes must be int32.");
    if ((*each.sizes)->rank() != 1)
      return error(fmt::format("{} is one size for each group, found shape {}", each.name,
                               to_string((*each.sizes)->shape())));
    if (groups == 0) groups = (*each.sizes)->elements();
  }
  if (!any)
    return error(
        "Cannot infer number of gemms since neither lhs nor rhs has first_dims or last_dims. "
        "Ensure that at least one of the input tensors has valid first_dims or last_dims.For "
        "grouped_gemm, at least one tensor must be ragged.");
  if (groups == 0)
    return error(
        "grouped_gemm requires at least one non-empty dimension array. Ensure lhs or rhs tensor "
        "objects carry first_dims or last_dims.");
  for (const Sizes& each : all)
    if (GroupedTensor::ragged(*each.sizes) && (*each.sizes)->elements() != groups)
      return error(fmt::format("grouped GEMM {} has size {}, expected num_groups={}", each.name,
                               (*each.sizes)->elements(), groups));
  call.product.sizes.assign(static_cast<std::size_t>(groups), 0);
  call.product.local_groups = groups;
  TRY(check_packed("lhs", call.lhs));
  return check_packed("rhs", call.rhs);
}

Expected<void> check_types(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  GroupedDesc& product = call.product;
  product.lhs = call.lhs.data->dtype();
  product.rhs = call.rhs.data->dtype();
  product.precision = options.precision;
  TRY(check_operand_types(product.lhs, product.rhs));
  for (const auto& [tensor, whose] : {std::pair{&call.lhs, "lhs"}, std::pair{&call.rhs, "rhs"}}) {
    const bool scaled = tensor->mode != ScalingMode::NoScaling;
    if (scaled != (tensor->scale_inv != nullptr))
      return error(fmt::format("{} has {} and {}", whose, name(tensor->mode),
                               scaled ? "no scale_inv" : "a scale_inv"));
    if (scaled && !is_quantised(tensor->data->dtype()))
      return error(ErrorCode::invalid_type,
                   fmt::format("the elements of {} are {}, found {}", name(tensor->mode),
                               quantised_text(), name(tensor->data->dtype())));
    if (tensor->mode == ScalingMode::Mxfp8_1D && !tensor->pre_swizzled)
      return error(fmt::format("{} must be pre-swizzled for MXFP8 1D scaling", whose));
  }
  product.out = options.preferred_element_type.value_or(call.lhs.dq_dtype);
  if (product.out == DType::f32 || product.out == DType::bf16 || product.out == DType::f16)
    return {};
  return error(ErrorCode::unsupported,
               fmt::format("grouped_gemm stores f32, bf16 or f16, not {}: give a "
                           "preferred_element_type",
                           name(product.out)));
}

}  // namespace tessera
