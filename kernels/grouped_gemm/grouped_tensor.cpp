#include "kernels/grouped_gemm/grouped_tensor.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/data/convert.h"
#include "core/report/check.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera {
namespace {

std::int64_t padded(std::int64_t extent, std::int64_t to) { return (extent + to - 1) / to * to; }

// Elements of a group's scales: padded to tiles of 128 x 4, the contraction across.
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

Tensor turned(const Tensor& matrix) {
  Tensor result = Tensor::uninitialised(matrix.dtype(), {matrix.dim(1), matrix.dim(0)});
  for (std::int64_t i = 0; i < matrix.dim(0); ++i)
    for (std::int64_t j = 0; j < matrix.dim(1); ++j)
      result.data()[j * matrix.dim(0) + i] = matrix.data()[i * matrix.dim(1) + j];
  return result;
}

}  // namespace

DimSizes dim_sizes(const std::vector<std::int64_t>& sizes) {
  auto tensor =
      std::make_shared<Tensor>(DType::i32, Shape{static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor->as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes[g]);
  return tensor;
}

GroupedTensor no_scale_tensor(std::shared_ptr<const Tensor> data, DimSizes first_dims,
                              DimSizes last_dims) {
  GroupedTensor tensor;
  if (data) {
    tensor.original_shape = data->shape();
    tensor.dq_dtype = data->dtype();
  }
  tensor.data = std::move(data);
  tensor.first_dims = std::move(first_dims);
  tensor.last_dims = std::move(last_dims);
  return tensor;
}

Expected<void> check_grouped_tensor(std::string_view whose, const GroupedTensor& tensor,
                                    std::int64_t boundary, std::int64_t groups) {
  if (tensor.data == nullptr || tensor.data->data() == nullptr)
    return error(fmt::format("{} has no data", whose));
  const auto rank = static_cast<std::int64_t>(tensor.original_shape.size());
  const auto count = checked_bytes(DType::i8, tensor.original_shape);
  if (!count || *count != tensor.data->elements())
    return error("grouped GEMM data buffer element count does not match the provided 2D shape.");
  if (boundary < 0 || boundary > rank)
    return error(fmt::format("{} has {} axes, and they are merged at {}", whose, rank, boundary));
  if (groups < 0) return error(fmt::format("{} groups, expected at least 0", groups));
  const bool first = GroupedTensor::ragged(tensor.first_dims),
             last = GroupedTensor::ragged(tensor.last_dims);
  if (first && last)
    return error("Grouped GEMM with both first_dims and last_dims ragged is not supported.");
  std::int64_t left = 1, right = 1;
  for (std::int64_t d = 0; d < rank; ++d)
    (d < boundary ? left : right) *= tensor.original_shape[static_cast<std::size_t>(d)];
  if (!first && !last) {
    if (groups == 0 || left % groups == 0) return {};
    return error(fmt::format("the {} rows of {} are not {} equal groups", left, whose, groups));
  }
  const Tensor& sizes = first ? *tensor.first_dims : *tensor.last_dims;
  if (sizes.dtype() != DType::i32 || sizes.shape() != Shape{groups})
    return error(fmt::format("the sizes of the groups of {} are i32 of shape ({},), found {} of {}",
                             whose, groups, name(sizes.dtype()), to_string(sizes.shape())));
  std::int64_t room = first ? left : right;
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t size = sizes.as<std::int32_t>()[g];
    if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
    if (size > room)
      return error(fmt::format("the group sizes of {} up to group {} sum to more than {}", whose, g,
                               first ? left : right));
    room -= size;
  }
  return {};
}

GroupedMatrix grouped_matrix(const GroupedTensor& tensor, std::int64_t boundary,
                             std::int64_t groups) {
  GroupedMatrix matrix;
  const auto rank = static_cast<std::int64_t>(tensor.original_shape.size());
  for (std::int64_t d = 0; d < rank; ++d)
    (d < boundary ? matrix.left : matrix.right) *=
        tensor.original_shape[static_cast<std::size_t>(d)];
  const bool first = GroupedTensor::ragged(tensor.first_dims),
             last = GroupedTensor::ragged(tensor.last_dims);
  std::int64_t offset = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    GroupedMatrix::Group group{offset, matrix.left, matrix.right};
    if (first) {
      group.left = tensor.first_dims->as<std::int32_t>()[g];
    } else if (last) {
      group.right = tensor.last_dims->as<std::int32_t>()[g];
    } else {
      group.left = groups == 0 ? 0 : matrix.left / groups;
    }
    offset += group.left * group.right;
    matrix.groups.push_back(group);
  }
  return matrix;
}

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
  TRY(check_grouped_tensor("the tensor", tensor, boundary, groups));
  const GroupedMatrix matrix = grouped_matrix(tensor, boundary, groups);
  GroupedTensor result = tensor;
  result.mode = spec.mode;
  auto data = std::make_shared<Tensor>(spec.dtype, tensor.data->shape());
  const bool mx = spec.mode == ScalingMode::Mxfp8_1D;
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
      Expected<MxTensor> blocks = quantize_mx(part, spec.dtype, along);
      if (!blocks) return blocks.diags();
      quantised = std::move(blocks->data);
      const Expected<Tensor> flat =
          swizzled(along == MxAlong::rows ? blocks->scales.clone() : turned(blocks->scales));
      if (!flat) return flat.diags();
      if (flat->bytes() > 0)
        std::memcpy(scale_inv->data() + at, flat->data(), static_cast<std::size_t>(flat->bytes()));
      at += scale_elements(group, along);
    } else {
      if (spec.mode == ScalingMode::DelayedTensor &&
          spec.delayed_scales.size() != matrix.groups.size())
        return error(fmt::format("delayed scaling needs a scale for each of {} groups, got {}",
                                 matrix.groups.size(), spec.delayed_scales.size()));
      const float scale = spec.mode == ScalingMode::DelayedTensor
                              ? spec.delayed_scales[g]
                              : tensor_scale(amax(part), spec.dtype);
      quantised = quantize(part, spec.dtype, scale);
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
  return rows ? *std::move(scales) : turned(*scales);
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
  std::int64_t count = mx ? 0 : static_cast<std::int64_t>(matrix.groups.size());
  for (std::size_t g = 0; mx && g < matrix.groups.size(); ++g) {
    const std::int64_t k = along == MxAlong::rows ? matrix.groups[g].right : matrix.groups[g].left;
    if (k % mx_block != 0)
      return error(
          fmt::format("MXFP8 scales are of {} elements, which do not divide the "
                      "contraction of {} in group {}",
                      mx_block, k, g));
    count += scale_elements(matrix.groups[g], along);
  }
  const DType type = mx ? DType::e8m0 : DType::f32;
  const Tensor& scales = *tensor.scale_inv;
  if (scales.dtype() == type && scales.rank() == 1 && scales.elements() >= count) return {};
  return error(fmt::format("scale_inv of {} is {} of shape ({},) for {}, found {} of shape {}",
                           whose, name(type), count, name(tensor.mode), name(scales.dtype()),
                           to_string(scales.shape())));
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
