#include "kernels/operation/sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/report/try.h"
#include "kernels/launch/operand_type.h"
#include "kernels/operation/grouped_call.h"

namespace tessera {
namespace {

Expected<void> check_mesh(const GroupedMatmulCall& call) {
  if (!call.mesh) return error("mesh must be provided for shard_map execution");
  if (!call.in_specs) return error("in_specs must be provided for shard_map execution");
  if (!call.out_specs) return error("out_specs must be provided for shard_map execution");
  constexpr std::size_t arguments = 3;
  if (call.in_specs->size() != arguments)
    return error(
        fmt::format("in_specs length {} != call_args length {}", call.in_specs->size(), arguments));
  const Platform platform = call.platform.value_or(call.cfg ? call.cfg->platform : Platform::Auto);
  if (!call.interpret && platform != Platform::Auto && platform != simulated_platform())
    return error(
        ErrorCode::unsupported,
        fmt::format("a mesh is made of simulated devices; platform {} has none", name(platform)));
  for (const MeshAxis& axis : call.mesh->axes) {
    if (axis.size < 1)
      return error(fmt::format("axis {} of the mesh has {} devices", axis.name, axis.size));
  }
  return {};
}

// Operand shards of one device; `existing` is empty if the call has no existing_out.
struct OperandShard {
  Tensor lhs, rhs, sizes, existing;
};

// A call whose operands are split over its mesh.
struct Shards {
  const GroupedMatmulCall& call;
  GroupedMatmulCall local;     // call of one device
  GroupedMatmulConfig config;  // used for all shards
  const Tensor* group_offset;
  bool has_existing;
  std::vector<OperandShard> parts;

  const Mesh& mesh() const { return *call.mesh; }
  const PartitionSpec& out() const { return *call.out_specs; }
  GroupedMatmulOperands of(std::int64_t device) const {
    const OperandShard& part = parts[static_cast<std::size_t>(device)];
    return {&part.lhs, &part.rhs, &part.sizes, group_offset,
            has_existing ? &part.existing : nullptr};
  }
};

// Returns the number of rows of lhs and existing_out to split over the mesh: m, or with do_padding
// m rounded up to a multiple of the size of the axis that splits the rows of lhs.
std::int64_t divisible_rows(const GroupedMatmulCall& call, const Tensor& lhs) {
  const PartitionSpec& spec = call.in_specs->front();
  const std::int64_t rows = lhs.rank() > 0 ? lhs.dim(0) : 0;
  if (!call.do_padding || lhs.rank() != 2 || spec.empty() || !spec[0]) return rows;
  const MeshAxis* const axis = call.mesh->find(*spec[0]);
  return axis == nullptr ? rows : (rows + axis->size - 1) / axis->size * axis->size;
}

Expected<std::vector<OperandShard>> split(const GroupedMatmulOperands& operands,
                                          const GroupedMatmulCall& call) {
  const Mesh& mesh = *call.mesh;
  const auto& specs = *call.in_specs;
  const std::int64_t rows = divisible_rows(call, *operands.lhs);
  const auto padded = [&](const Tensor& tensor) {
    const bool has_rows_of_lhs = tensor.rank() == 2 && tensor.dim(0) == operands.lhs->dim(0);
    return has_rows_of_lhs && rows > tensor.dim(0) ? padded_rows(tensor, rows) : tensor.clone();
  };
  const Tensor lhs = padded(*operands.lhs);
  const Tensor existing = operands.existing_out ? padded(*operands.existing_out) : Tensor();
  Diags diags;
  const auto check = [&](const char* what, const Tensor& tensor, const PartitionSpec& spec) {
    collect(diags, check_spec(what, tensor.shape(), spec, mesh));
  };
  check("lhs", lhs, specs[0]);
  check("rhs", *operands.rhs, specs[1]);
  check("group_sizes", *operands.group_sizes, specs[2]);
  if (operands.existing_out) check("existing_out", existing, *call.out_specs);
  if (!diags.empty()) return diags;
  std::vector<OperandShard> parts;
  for (std::int64_t d = 0; d < mesh.devices(); ++d) {
    parts.push_back({shard(lhs, specs[0], mesh, d), shard(*operands.rhs, specs[1], mesh, d),
                     shard(*operands.group_sizes, specs[2], mesh, d),
                     operands.existing_out ? shard(existing, *call.out_specs, mesh, d) : Tensor()});
  }
  return parts;
}

// Splits the call. All shards use the call's configuration, or if there is none, the configuration
// chosen for the whole call.
Expected<Shards> sharded(const GroupedMatmulOperands& operands, const GroupedMatmulCall& call) {
  TRY(check_mesh(call));
  GroupedMatmulCall local = call;
  local.platform = simulated_platform();
  GroupedMatmulConfig config = call.cfg ? *call.cfg : TRY(choose_config(operands, local)).config;
  config.platform = simulated_platform();
  config.backend = Backend::Any;
  return Shards{call,
                std::move(local),
                config,
                operands.group_offset,
                operands.existing_out != nullptr,
                TRY(split(operands, call))};
}

// Returns the shape of the result whose shards have shape `part`. Fails if out_specs does not fit.
Expected<Shape> joined_shape(const Shape& part, const Shards& shards) {
  const PartitionSpec& spec = shards.out();
  Shape shape = part;
  for (std::size_t d = 0; d < std::min(spec.size(), shape.size()); ++d) {
    const MeshAxis* const axis = spec[d] ? shards.mesh().find(*spec[d]) : nullptr;
    if (axis != nullptr) shape[d] *= axis->size;
  }
  TRY(check_spec("the result", shape, spec, shards.mesh()));
  return shape;
}

// Returns the diagnostics with the prefix "shard of device 1: ".
Diags of_device(std::int64_t device, Diags diags) {
  for (Diag& diag : diags)
    diag.message = fmt::format("shard of device {}: {}", device, diag.message);
  return diags;
}

Expected<void> check_replication(const Tensor& one, const Tensor& other, std::int64_t first,
                                 std::int64_t device) {
  const auto size = static_cast<std::size_t>(size_of(one.dtype()));
  for (std::int64_t i = 0; i < one.elements(); ++i) {
    const auto at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(one.data() + at, other.data() + at, size) == 0) continue;
    return error(
        ErrorCode::runtime,
        fmt::format("the result of device {} differs from that of device {} at ({}, {}): {} and "
                    "{}; by out_specs both are the same shard",
                    device, first, i / one.dim(1), i % one.dim(1), other.at(i), one.at(i)));
  }
  return {};
}

// Sum of the devices' gradients of an operand, which the devices read in shards.
class SummedShards {
 public:
  SummedShards(const Shape& shape, const PartitionSpec& spec, const Mesh& mesh)
      : sum_(DType::f32, shape), spec_(spec), mesh_(mesh) {}

  void add(const Tensor& part, std::int64_t device) {
    Tensor own = converted(part, DType::f32);
    const Tensor before = shard(sum_, spec_, mesh_, device);
    for (std::int64_t i = 0; i < own.elements(); ++i) own.as<float>()[i] += before.as<float>()[i];
    place_shard(sum_, own, spec_, mesh_, device);
  }
  // Returns the sum without padding, with the operand's shape and type. Call once.
  Tensor result(const Tensor& operand) {
    return converted(first_rows(std::move(sum_), operand.dim(0)), operand.dtype());
  }

 private:
  Tensor sum_;
  const PartitionSpec& spec_;
  const Mesh& mesh_;
};

}  // namespace

Expected<Tensor> product_on_mesh(const GroupedMatmulOperands& operands,
                                 const GroupedMatmulCall& call) {
  const Shards shards = TRY(sharded(operands, call));
  std::vector<Tensor> results;
  for (std::int64_t d = 0; d < shards.mesh().devices(); ++d) {
    Expected<GroupedMatmulRun> run = run_by(shards.of(d), shards.local, shards.config);
    if (!run) return of_device(d, run.diags());
    results.push_back(std::move(run->out));
  }
  for (Tensor& result : results) result = TRY(called_back(call, std::move(result)));
  Tensor whole = Tensor::uninitialised(results.front().dtype(),
                                       TRY(joined_shape(results.front().shape(), shards)));
  for (std::int64_t d = 0; d < shards.mesh().devices(); ++d) {
    const std::int64_t first = first_holder(d, shards.out(), shards.mesh());
    const Tensor& own = results[static_cast<std::size_t>(d)];
    if (first == d) {
      place_shard(whole, own, shards.out(), shards.mesh(), d);
    } else if (call.check_vma) {
      TRY(check_replication(results[static_cast<std::size_t>(first)], own, first, d));
    }
  }
  const std::int64_t rows = std::min(operands.lhs->dim(0), whole.dim(0));
  return first_rows(std::move(whole), rows);
}

Expected<GroupedMatmulGradients> gradients_on_mesh(const Tensor& cotangent,
                                                   const GroupedMatmulOperands& operands,
                                                   const GroupedMatmulCall& call) {
  if (call.check_vma) TRY(product_on_mesh(operands, call));  // compares replicated shards
  const Shards shards = TRY(sharded(operands, call));
  const Mesh& mesh = shards.mesh();
  if (const auto valid = check_call(shards.of(0), shards.local, shards.config); !valid)
    return of_device(0, valid.diags());
  const OperandShard& part = shards.parts.front();
  const Shape whole =
      TRY(joined_shape({part.lhs.dim(0), part.rhs.dim(call.transpose_rhs ? 1 : 2)}, shards));
  const Tensor &lhs = *operands.lhs, &rhs = *operands.rhs;
  TRY(check_cotangent(cotangent, {std::min(lhs.dim(0), whole[0]), whole[1]}));
  const Tensor padded = padded_rows(cotangent, whole[0]);
  const auto& specs = *call.in_specs;
  SummedShards of_lhs({divisible_rows(call, lhs), lhs.dim(1)}, specs[0], mesh);
  SummedShards of_rhs(rhs.shape(), specs[1], mesh);
  Tensor of_existing = shards.has_existing ? padded.clone() : Tensor();
  for (std::int64_t d = 0; d < mesh.devices(); ++d) {
    if (first_holder(d, shards.out(), mesh) != d) continue;
    const Expected<GroupedMatmulGradients> gradients = gradients_by(
        shard(padded, shards.out(), mesh, d), shards.of(d), shards.local, shards.config);
    if (!gradients) return of_device(d, gradients.diags());
    of_lhs.add(gradients->lhs, d);
    of_rhs.add(gradients->rhs, d);
    if (shards.has_existing)
      place_shard(of_existing, *gradients->existing_out, shards.out(), mesh, d);
  }
  GroupedMatmulGradients result{of_lhs.result(lhs), of_rhs.result(rhs), std::nullopt};
  if (shards.has_existing)
    result.existing_out = first_rows(std::move(of_existing), operands.existing_out->dim(0));
  return result;
}

}  // namespace tessera
