#include "kernels/operation/shards.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/try.h"

namespace tessera {

Expected<std::vector<OperandShard>> cut_operands(const GroupedInvocation& call) {
  const GroupedMatmulCall& options = *call.call;
  const Mesh& mesh = *options.mesh;
  const auto& specs = *options.in_specs;
  const Tensor &lhs = *call.lhs, &rhs = *call.rhs, &sizes = *call.group_sizes;
  const Tensor* whole = &lhs;
  const Tensor* existing = call.existing_out;
  Tensor padded, padded_existing;
  if (options.do_padding && lhs.rank() == 2 && !specs[0].empty() && specs[0][0]) {
    const MeshAxis* const axis = mesh.find(*specs[0][0]);
    const std::int64_t rows = lhs.dim(0);
    if (axis != nullptr && rows % axis->size != 0) {
      const std::int64_t more = (rows + axis->size - 1) / axis->size * axis->size;
      padded = padded_rows(lhs, more);
      whole = &padded;
      if (existing != nullptr && existing->rank() == 2) {
        padded_existing = padded_rows(*existing, more);
        existing = &padded_existing;
      }
    }
  }
  Diags diags;
  const auto check = [&](const char* what, const Tensor& tensor, const PartitionSpec& spec) {
    collect(diags, check_spec(what, tensor.shape(), spec, mesh));
  };
  check("lhs", *whole, specs[0]);
  check("rhs", rhs, specs[1]);
  check("group_sizes", sizes, specs[2]);
  if (existing != nullptr) check("existing_out", *existing, *options.out_specs);
  if (!diags.empty()) return diags;
  std::vector<OperandShard> parts;
  for (std::int64_t d = 0; d < mesh.devices(); ++d) {
    OperandShard part{shard(*whole, specs[0], mesh, d), shard(rhs, specs[1], mesh, d),
                      shard(sizes, specs[2], mesh, d), Tensor()};
    if (existing != nullptr) part.existing = shard(*existing, *options.out_specs, mesh, d);
    parts.push_back(std::move(part));
  }
  return parts;
}

Expected<Shape> joined_shape(const Shape& part, const PartitionSpec& spec, const Mesh& mesh) {
  Shape shape = part;
  const auto check = [&] { return check_spec("the result", shape, spec, mesh); };
  if (spec.size() > shape.size()) return check().diags();
  for (std::size_t d = 0; d < spec.size(); ++d) {
    if (!spec[d]) continue;
    const MeshAxis* const axis = mesh.find(*spec[d]);
    if (axis == nullptr) return check().diags();
    shape[d] *= axis->size;
  }
  TRY(check());
  return shape;
}

Diags of_device(std::int64_t device, const Diags& diags) {
  Diags result = diags;
  for (Diag& diag : result)
    diag.message = fmt::format("shard of device {}: {}", device, diag.message);
  return result;
}

}  // namespace tessera
