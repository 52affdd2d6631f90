#include "kernels/operation/mesh.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace tessera {
namespace {

std::int64_t parts(const PartitionSpec& spec, const Mesh& mesh, std::size_t dim) {
  return dim < spec.size() && spec[dim] ? mesh.find(*spec[dim])->size : 1;
}

// Copies all elements of the device's shard between the whole tensor and a dense shard. Runs along
// the last dimension are contiguous in both.
template <typename CopyRun>
void for_each_run(const Shape& whole, const Shape& part, const PartitionSpec& spec,
                  const Mesh& mesh, std::int64_t device, CopyRun copy_run) {
  const std::size_t rank = whole.size();
  if (elements(part) == 0) return;
  Shape start(rank), at(rank);
  for (std::size_t d = 0; d < rank; ++d)
    start[d] = parts(spec, mesh, d) > 1 ? part[d] * mesh.coordinate(device, *spec[d]) : 0;
  const std::int64_t run = rank == 0 ? 1 : part[rank - 1];
  for (std::int64_t position = 0; position < elements(part); position += run) {
    std::int64_t rest = position, offset = 0, stride = 1;
    for (std::size_t d = rank; d-- > 0;) {
      offset += (start[d] + rest % part[d]) * stride;
      rest /= part[d];
      stride *= whole[d];
    }
    copy_run(offset, position, run);
  }
}

}  // namespace

std::int64_t Mesh::devices() const {
  std::int64_t count = 1;
  for (const MeshAxis& axis : axes) count *= axis.size;
  return count;
}

const MeshAxis* Mesh::find(const std::string& axis) const {
  for (const MeshAxis& candidate : axes) {
    if (candidate.name == axis) return &candidate;
  }
  return nullptr;
}

std::int64_t Mesh::coordinate(std::int64_t device, const std::string& axis) const {
  std::int64_t stride = devices();
  for (const MeshAxis& candidate : axes) {
    stride /= candidate.size;
    if (candidate.name == axis) return device / stride % candidate.size;
  }
  return 0;
}

Expected<void> check_spec(const char* what, const Shape& shape, const PartitionSpec& spec,
                          const Mesh& mesh) {
  Diags diags;
  if (spec.size() > shape.size()) {
    return error(fmt::format("the spec of {} has {} dimensions, {} has {}", what, spec.size(), what,
                             shape.size()));
  }
  std::set<std::string> seen;
  for (std::size_t d = 0; d < spec.size(); ++d) {
    if (!spec[d]) continue;
    const MeshAxis* const axis = mesh.find(*spec[d]);
    if (axis == nullptr) {
      diags.push_back(error(fmt::format(
          "the spec of {} names axis {}, which the mesh does not have", what, *spec[d])));
    } else if (!seen.insert(*spec[d]).second) {
      diags.push_back(error(fmt::format("the spec of {} names axis {} twice", what, *spec[d])));
    } else if (shape[d] % axis->size != 0) {
      diags.push_back(
          error(fmt::format("dimension {} of {} is {}, which axis {} of {} does not "
                            "divide",
                            d, what, shape[d], axis->name, axis->size)));
    }
  }
  if (!diags.empty()) return diags;
  return {};
}

Shape shard_shape(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh) {
  Shape result = shape;
  for (std::size_t d = 0; d < result.size(); ++d) result[d] /= parts(spec, mesh, d);
  return result;
}

Tensor shard(const Tensor& tensor, const PartitionSpec& spec, const Mesh& mesh,
             std::int64_t device) {
  Tensor part = Tensor::uninitialised(tensor.dtype(), shard_shape(tensor.shape(), spec, mesh));
  const auto size = static_cast<std::size_t>(size_of(tensor.dtype()));
  for_each_run(tensor.shape(), part.shape(), spec, mesh, device,
               [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                 std::memcpy(part.data() + static_cast<std::size_t>(to) * size,
                             tensor.data() + static_cast<std::size_t>(from) * size,
                             static_cast<std::size_t>(count) * size);
               });
  return part;
}

void place_shard(Tensor& whole, const Tensor& part, const PartitionSpec& spec, const Mesh& mesh,
                 std::int64_t device) {
  const auto size = static_cast<std::size_t>(size_of(whole.dtype()));
  for_each_run(whole.shape(), part.shape(), spec, mesh, device,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 std::memcpy(whole.data() + static_cast<std::size_t>(to) * size,
                             part.data() + static_cast<std::size_t>(from) * size,
                             static_cast<std::size_t>(count) * size);
               });
}

std::int64_t first_holder(std::int64_t device, const PartitionSpec& spec, const Mesh& mesh) {
  for (std::int64_t other = 0; other < device; ++other) {
    bool same = true;
    for (const auto& axis : spec) {
      same = same && (!axis || mesh.coordinate(other, *axis) == mesh.coordinate(device, *axis));
    }
    if (same) return other;
  }
  return device;
}

}  // namespace tessera
