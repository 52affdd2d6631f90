#include "kernels/grouped_gemm/grouped_tensor.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/try.h"

namespace tessera {
namespace {

Expected<void> check_sizes(std::string_view whose, const Tensor& sizes, std::int64_t groups) {
  if (sizes.dtype() == DType::i32 && sizes.shape() == Shape{groups}) return {};
  return error(fmt::format("the sizes of the groups of {} are i32 of shape ({},), found {} of {}",
                           whose, groups, name(sizes.dtype()), to_string(sizes.shape())));
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
  if (first && last) {
    TRY(check_sizes(whose, *tensor.first_dims, groups));
    TRY(check_sizes(whose, *tensor.last_dims, groups));
    return check_packed(whose, tensor);
  }
  std::int64_t left = 1, right = 1;
  for (std::int64_t d = 0; d < rank; ++d)
    (d < boundary ? left : right) *= tensor.original_shape[static_cast<std::size_t>(d)];
  if (!first && !last) {
    if (groups == 0 || left % groups == 0) return {};
    return error(fmt::format("the {} rows of {} are not {} equal groups", left, whose, groups));
  }
  const Tensor& sizes = first ? *tensor.first_dims : *tensor.last_dims;
  TRY(check_sizes(whose, sizes, groups));
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

Expected<void> check_packed(std::string_view whose, const GroupedTensor& tensor) {
  if (!tensor.is_packed()) return {};
  const Shape& shape = tensor.original_shape;
  if (shape.size() != 2 || shape[0] != 1)
    return error(fmt::format(
        "{} is ragged in both first_dims and last_dims: expected consecutive groups in a "
        "tensor of shape (1, elements), found shape {}",
        whose, to_string(shape)));
  const std::int64_t groups = tensor.first_dims->elements();
  std::int64_t room = shape[1];
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t rows = tensor.first_dims->as<std::int32_t>()[g],
                       columns = tensor.last_dims->as<std::int32_t>()[g];
    if (rows < 0 || columns < 0)
      return error(
          fmt::format("group {} of {} is {} x {}, which is negative", g, whose, rows, columns));
    if (rows * columns > room)
      return error(fmt::format("the groups of {} up to group {} have more than its {} elements",
                               whose, g, shape[1]));
    room -= rows * columns;
  }
  if (room == 0) return {};
  return error(fmt::format("the groups of {} have {} elements together, and it has {}", whose,
                           shape[1] - room, shape[1]));
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
    if (first) group.left = tensor.first_dims->as<std::int32_t>()[g];
    if (last) group.right = tensor.last_dims->as<std::int32_t>()[g];
    if (!first && !last) group.left = groups == 0 ? 0 : matrix.left / groups;
    offset += group.left * group.right;
    matrix.groups.push_back(group);
  }
  return matrix;
}

}  // namespace tessera
