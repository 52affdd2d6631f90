// Devices in a grid with named axes, and how a tensor is cut over them.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
};

// Device d has the coordinates of d in row-major order over the axes.
struct Mesh {
  std::vector<MeshAxis> axes;

  std::int64_t devices() const;
  const MeshAxis* find(const std::string& axis) const;
  std::int64_t coordinate(std::int64_t device, const std::string& axis) const;
};

// For each leading dimension the axis that cuts it, or none; dimensions left out are not cut.
using PartitionSpec = std::vector<std::optional<std::string>>;

// Whether a tensor of this shape can be cut so: axes of the mesh, none twice, no more dimensions
// than there are, every cut even. `what` names the tensor.
Diags check_spec(const char* what, const Shape& shape, const PartitionSpec& spec, const Mesh& mesh);
Shape shard_shape(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh);
// The part of `tensor` that the device holds.
Tensor shard(const Tensor& tensor, const PartitionSpec& spec, const Mesh& mesh,
             std::int64_t device);
// Puts the device's part in its place in `whole`.
void place_shard(Tensor& whole, const Tensor& part, const PartitionSpec& spec, const Mesh& mesh,
                 std::int64_t device);
// The first device, in order, that holds the same part as `device`.
std::int64_t first_holder(std::int64_t device, const PartitionSpec& spec, const Mesh& mesh);

}  // namespace tessera
