// Devices in a grid with named axes, and how a tensor is cut over them.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// One axis of a mesh.
struct MeshAxis {
  std::string name;       // as partition specs name it
  std::int64_t size = 1;  // devices along it
};

// Devices 0 .. devices() - 1 in row-major order over the axes.
struct Mesh {
  std::vector<MeshAxis> axes;  // slowest first; names are unique

  // Product of the sizes.
  std::int64_t devices() const;
  // The axis of that name, or null.
  const MeshAxis* find(const std::string& axis) const;
  // Position of the device along the axis, 0 .. size - 1.
  std::int64_t coordinate(std::int64_t device, const std::string& axis) const;
};

// For each dimension of a tensor, outermost first, the axis that cuts it, or none; dimensions
// beyond the list are not cut. As jax.sharding.PartitionSpec.
using PartitionSpec = std::vector<std::optional<std::string>>;

// Whether a tensor of this shape can be cut so: the axes are in the mesh, none is used twice, there
// are no more of them than dimensions, and sizes divide extents. `what` names
// the tensor.
Expected<void> check_spec(const char* what, const Shape& shape, const PartitionSpec& spec,
                          const Mesh& mesh);
// The shape of each shard, of a spec that check_spec accepts.
Shape shard_shape(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh);
// The part of `tensor` that the device holds.
Tensor shard(const Tensor& tensor, const PartitionSpec& spec, const Mesh& mesh,
             std::int64_t device);
// Copies the device's part to its place in `whole`.
void place_shard(Tensor& whole, const Tensor& part, const PartitionSpec& spec, const Mesh& mesh,
                 std::int64_t device);
// The first device, in order, that holds the same part as `device`.
std::int64_t first_holder(std::int64_t device, const PartitionSpec& spec, const Mesh& mesh);

}  // namespace tessera
