// Scales of grouped tensors: quantisation and dequantisation, group by group.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "core/data/transposed.h"
#include "core/report/check.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_gemm/grouped_tensor.h"

namespace tessera {
namespace {

std::int64_t padded(std::int64_t extent, std::int64_t to) { return (extent + to - 1) / to * to; }

// Number of scales of a group, with padding to tiles of 128 x 4. Columns are along the contraction.
std::int64_t scale_elements(const GroupedMatrix::Group& group, MxAlong along) {
  const bool rows = along == MxAlong::rows;
  return padded(rows ? group.left : group.right, 128) *
         padded((rows ? group.right : group.left) / mx_block, 4);
}

Tensor group_data(const GroupedTensor& tensor, const GroupedMatrix::Group& group) {
  Tensor part = Tensor::uninitialised(tensor.data->dtype(), {group.left, group.right});
  const std::int64_t size = size_of(tensor.data->dtype());
  if (part.bytes() > 0)
    std::memcpy(part.data(), tensor.data->data() + group.offset * size,
                static_cast<std::size_t>(part.bytes()));
  return part;
}

// Shape of scales that are not swizzled.
Shape plain_scales(const GroupedTensor& tensor, std::int64_t boundary, bool along_rows) {
  Shape shape = tensor.original_shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = along_rows || tensor.is_packed() ? rank - 1 : boundary - 1;
  if (axis >= 0) shape[static_cast<std::size_t>(axis)] /= mx_block;
  return shape;
}

bool is_scale(float scale) { return std::isfinite(scale) && scale > 0; }

Expected<void> check_delayed(const std::vector<float>& scales, std::size_t groups) {
  if (scales.size() != groups)
    return error(fmt::format("delayed scaling needs a scale for each of {} groups, got {}", groups,
                             scales.size()));
  for (std::size_t g = 0; g < groups; ++g)
    if (!is_scale(scales[g]))
      return error(fmt::format("the delayed scale of group {} is {}: a scale is finite and above 0",
                               g, scales[g]));
  return {};
}

}  // namespace

Expected<GroupedTensor> quantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                         std::int64_t groups, MxAlong along,
                                         const QuantizeSpec& spec) try {
  if (tensor.mode != ScalingMode::NoScaling)
    return error(ErrorCode::invalid_type,
                 "Expected a GroupedNoScaleTensor before quantization, got type="
                 "GroupedScaledTensor1x");
  if (spec.mode == ScalingMode::NoScaling) return tensor;
  if (const std::string_view reason = unsupported_reason(spec.mode); !reason.empty())
    return error(ErrorCode::unsupported, std::string(reason));
  TRY(check_quantised(spec.dtype));
  const bool mx = spec.mode == ScalingMode::Mxfp8_1D;
  if (!mx && spec.scale_rounding != ScaleRounding::up)
    return error(fmt::format("scale_rounding is for {}, and the mode is {}",
                             name(ScalingMode::Mxfp8_1D), name(spec.mode)));
  TRY(check_grouped_tensor("the tensor", tensor, boundary, groups));
  const GroupedMatrix matrix = grouped_matrix(tensor, boundary, groups);
  if (spec.mode == ScalingMode::DelayedTensor)
    TRY(check_delayed(spec.delayed_scales, matrix.groups.size()));
  GroupedTensor result = tensor;
  result.mode = spec.mode;
  auto data = std::make_shared<Tensor>(spec.dtype, tensor.data->shape());
  std::int64_t scales = mx ? 0 : groups;
  if (mx)
    for (const auto& group : matrix.groups) scales += scale_elements(group, along);
  auto scale_inv = std::make_shared<Tensor>(mx ? DType::e8m0 : DType::f32, Shape{scales});
  std::int64_t at = 0;
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const GroupedMatrix::Group& group = matrix.groups[g];
    const Tensor part = group_data(tensor, group);
    Tensor quantised;
    if (mx) {
      Expected<MxTensor> blocks =
          quantize_mx(part, spec.dtype, along, {spec.scale_rounding, spec.overflow});
      if (!blocks) return blocks.diags();
      quantised = std::move(blocks->data);
      const Expected<Tensor> flat =
          swizzled(along == MxAlong::rows ? blocks->scales.clone() : transposed(blocks->scales));
      if (!flat) return flat.diags();
      if (flat->bytes() > 0)
        std::memcpy(scale_inv->data() + at, flat->data(), static_cast<std::size_t>(flat->bytes()));
      at += scale_elements(group, along);
    } else {
      const float scale = spec.mode == ScalingMode::DelayedTensor
                              ? spec.delayed_scales[g]
                              : tensor_scale(amax(part), spec.dtype);
      quantised = quantize(part, spec.dtype, scale, spec.overflow);
      scale_inv->as<float>()[g] = 1 / scale;
    }
    if (quantised.bytes() > 0)
      std::memcpy(data->data() + group.offset, quantised.data(),
                  static_cast<std::size_t>(quantised.bytes()));
  }
  result.data = std::move(data);
  result.scale_inv = std::move(scale_inv);
  result.pre_swizzled = mx;
  return result;
} catch (...) {
  return given_up("quantizing");
}

Tensor group_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, std::size_t group,
                    MxAlong along) {
  std::int64_t at = 0;
  for (std::size_t g = 0; g < group; ++g) at += scale_elements(matrix.groups[g], along);
  const GroupedMatrix::Group& own = matrix.groups[group];
  const bool rows = along == MxAlong::rows;
  Expected<Tensor> scales = unswizzled(*tensor.scale_inv, rows ? own.left : own.right,
                                       (rows ? own.right : own.left) / mx_block, at);
  CHECK(scales);
  return rows ? *std::move(scales) : transposed(*scales);
}

Expected<void> check_mx_blocks(std::string_view whose, const GroupedMatrix& matrix, MxAlong along) {
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const std::int64_t k = along == MxAlong::rows ? matrix.groups[g].right : matrix.groups[g].left;
    if (k % mx_block != 0)
      return error(
          fmt::format("MXFP8 scales apply to {} elements, which do not divide the contraction of "
                      "{} in group {} of {}",
                      mx_block, k, g, whose));
  }
  return {};
}

Expected<void> check_scales(std::string_view whose, const GroupedTensor& tensor,
                            const GroupedMatrix& matrix, MxAlong along) {
  const bool is_scaled = tensor.mode != ScalingMode::NoScaling;
  if (is_scaled != (tensor.scale_inv != nullptr))
    return error(fmt::format("{} has {} and {}", whose, name(tensor.mode),
                             is_scaled ? "no scale_inv" : "a scale_inv"));
  if (!is_scaled) return {};
  if (const std::string_view reason = unsupported_reason(tensor.mode); !reason.empty())
    return error(ErrorCode::unsupported, std::string(reason));
  const bool mx = tensor.mode == ScalingMode::Mxfp8_1D;
  if (mx) TRY(check_mx_blocks(whose, matrix, along));
  std::int64_t count = mx ? 0 : static_cast<std::int64_t>(matrix.groups.size());
  for (std::size_t g = 0; mx && g < matrix.groups.size(); ++g) {
    count += scale_elements(matrix.groups[g], along);
  }
  const DType type = mx ? DType::e8m0 : DType::f32;
  const Tensor& scales = *tensor.scale_inv;
  if (scales.dtype() == type && scales.rank() == 1 && scales.elements() >= count) {
    for (std::size_t g = 0; !mx && g < matrix.groups.size(); ++g)
      if (matrix.groups[g].left * matrix.groups[g].right > 0 && !is_scale(scales.as<float>()[g]))
        return error(fmt::format("scale_inv[{}] of {} is {}: a scale is finite and above 0", g,
                                 whose, scales.as<float>()[g]));
    return {};
  }
  return error(fmt::format("scale_inv of {} is {} of shape ({},) for {}, found {} of shape {}",
                           whose, name(type), count, name(tensor.mode), name(scales.dtype()),
                           to_string(scales.shape())));
}

Expected<GroupedTensor> swizzle_grouped(std::string_view whose, const GroupedTensor& tensor,
                                        std::int64_t boundary, std::int64_t groups,
                                        MxAlong along) try {
  if (tensor.scale_inv == nullptr)
    return error(fmt::format("{} has {} and no scale_inv", whose, name(tensor.mode)));
  TRY(check_grouped_tensor(whose, tensor, boundary, groups));
  const GroupedMatrix matrix = grouped_matrix(tensor, boundary, groups);
  TRY(check_mx_blocks(whose, matrix, along));
  const bool rows = along == MxAlong::rows;
  const Tensor& scales = *tensor.scale_inv;
  const Shape plain = plain_scales(tensor, boundary, rows);
  if (scales.dtype() != DType::e8m0 || scales.shape() != plain)
    return error(
        fmt::format("expected scales of {} for its elements of shape {} as e8m0 of shape {}, found "
                    "{} of shape {}",
                    whose, to_string(tensor.original_shape), to_string(plain), name(scales.dtype()),
                    to_string(scales.shape())));
  std::int64_t padded_ones = 0;
  for (const GroupedMatrix::Group& group : matrix.groups)
    padded_ones += scale_elements(group, along);
  auto swizzled_ones = std::make_shared<Tensor>(DType::e8m0, Shape{padded_ones});
  std::int64_t from = 0, to = 0;
  for (const GroupedMatrix::Group& group : matrix.groups) {
    Tensor own =
        Tensor::uninitialised(DType::e8m0, rows ? Shape{group.left, group.right / mx_block}
                                                : Shape{group.left / mx_block, group.right});
    if (own.bytes() > 0)
      std::memcpy(own.data(), scales.data() + from, static_cast<std::size_t>(own.bytes()));
    const Tensor flat = TRY(swizzled(rows ? own.clone() : transposed(own)));
    if (flat.bytes() > 0)
      std::memcpy(swizzled_ones->data() + to, flat.data(), static_cast<std::size_t>(flat.bytes()));
    from += own.bytes();
    to += flat.bytes();
  }
  GroupedTensor result = tensor;
  result.scale_inv = std::move(swizzled_ones);
  result.pre_swizzled = true;
  return result;
} catch (...) {
  return given_up("swizzling");
}

Expected<Tensor> dequantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                    std::int64_t groups, MxAlong along) try {
  TRY(check_grouped_tensor("the tensor", tensor, boundary, groups));
  const GroupedMatrix matrix = grouped_matrix(tensor, boundary, groups);
  TRY(check_scales("the tensor", tensor, matrix, along));
  Tensor result(DType::f32, tensor.data->shape());
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const GroupedMatrix::Group& group = matrix.groups[g];
    const Tensor part = group_data(tensor, group);
    const Expected<Tensor> values =
        tensor.mode == ScalingMode::Mxfp8_1D
            ? dequantize_mx(part, group_scales(tensor, matrix, g, along))
            : dequantize(part,
                         is_tensor_scaled(tensor.mode) ? tensor.scale_inv->as<float>()[g] : 1.0F);
    if (!values) return values.diags();
    if (values->bytes() > 0)
      std::memcpy(result.as<float>() + group.offset, values->data(),
                  static_cast<std::size_t>(values->bytes()));
  }
  return result;
} catch (...) {
  return given_up("dequantizing");
}

}  // namespace tessera
