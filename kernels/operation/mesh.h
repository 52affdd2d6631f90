// Device meshes with named axes, and the partition of tensors into shards.
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
  std::string name;       // name used in partition specs
  std::int64_t size = 1;  // number of devices along the axis, at least 1
};

// Devices 0 .. devices() - 1 in row-major order over the axes.
struct Mesh {
  std::vector<MeshAxis> axes;  // slowest first; names are unique

  // Number of devices: the product of the axis sizes.
  std::int64_t devices() const;
  // Returns the axis of that name, or null.
  const MeshAxis* find(const std::string& axis) const;
  // Position of the device along the axis, 0 .. size - 1; 0 if the mesh has no such axis.
  std::int64_t coordinate(std::int64_t device, const std::string& axis) const;
};

// For each dimension of a tensor, outermost first: the axis that splits it, or none. Dimensions
// beyond the list are not split. Like jax.sharding.PartitionSpec.
using PartitionSpec = std::vector<std::optional<std::string>>;

// Fails unless the spec can split a tensor of this shape. Its axes must be in the mesh and must not
// repeat, axis sizes must divide the extents, and the spec must not have more entries than the
// tensor has dimensions. `what` names the tensor in messages.
Expected<void> check_spec(const char* what, const Shape& shape, const PartitionSpec& spec,
                          const Mesh& mesh);
// Returns the shape of each shard. Requires a spec that check_spec accepts.
Shape shard_shape(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh);
// Returns a copy of the shard of `tensor` that the device holds. Requires a spec that check_spec
// accepts.
Tensor shard(const Tensor& tensor, const PartitionSpec& spec, const Mesh& mesh,
             std::int64_t device);
// Copies the device's shard `part` to its place in `whole`. Requires a spec that check_spec
// accepts, and `part` of shape shard_shape() and the type of `whole`.
void place_shard(Tensor& whole, const Tensor& part, const PartitionSpec& spec, const Mesh& mesh,
                 std::int64_t device);
// Returns the first device that holds the same shard as `device`; it may be `device`.
std::int64_t first_holder(std::int64_t device, const PartitionSpec& spec, const Mesh& mesh);

}  // namespace tessera
