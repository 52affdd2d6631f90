#include "kernels/operation/sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/launch.h"
#include "kernels/launch/operand_type.h"
#include "kernels/operation/grouped_options.h"
#include "kernels/operation/shards.h"

namespace tessera {
namespace {

// One call's shards: their operands, the launch, and what becomes of the results.
class Shards {
 public:
  Shards(const GroupedInvocation& call, const GroupedMatmulConfig& config)
      : call_(call), options_(*call.call), mesh_(*options_.mesh), config_(config) {}

  Expected<Tensor> run(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes) {
    rows_ = lhs.rank() > 0 ? lhs.dim(0) : 0;
    GroupedInvocation whole = call_;
    whole.lhs = &lhs;
    whole.rhs = &rhs;
    whole.group_sizes = &sizes;
    parts_ = TRY(cut_operands(whole));
    Launch launch("gmm", static_cast<std::size_t>(mesh_.devices()));
    for (std::int64_t d = 0; d < mesh_.devices(); ++d) TRY(prepare(launch, d));
    launch.results(grouped_options(call_, config_).out_dtype, {padding_.rows, columns_});
    CollectiveOptions how;
    how.device = simulated_platform().name();
    how.run = device_options(options_);
    Expected<std::vector<Tensor>> results = tessera::results(std::move(launch), how);
    if (!results) return results.diags();
    return join(*std::move(results));
  }

 private:
  // Pads the device's part and binds it; what the kernel would not take is an error.
  Expected<void> prepare(Launch& launch, std::int64_t device) {
    const OperandShard& part = parts_[static_cast<std::size_t>(device)];
    GroupedInvocation local = call_;
    local.lhs = &part.lhs;
    local.rhs = &part.rhs;
    local.group_sizes = &part.sizes;
    local.existing_out = call_.existing_out ? &part.existing : nullptr;
    Expected<PaddedCall> padded = padded_call(local, config_);
    if (!padded) return of_device(device, padded.diags());
    padding_ = padded->padding;
    GroupedMatmulOptions& options = padded->options;
    options.existing_out = padded->existing(local);
    const Tensor& lhs = padded->lhs(local);
    Expected<GroupedDesc> described = describe_gmm(lhs, part.rhs, part.sizes, options);
    if (!described) return of_device(device, described.diags());
    GroupedDesc& desc = *described;
    desc.lhs = desc.rhs = common_operand(desc.lhs, desc.rhs).value_or(desc.lhs);
    columns_ = desc.n;
    launch.settings = kernel_settings(desc, {.tiling = std::get<Tiling>(options.tiling),
                                             .buffers = options.input_buffer_count,
                                             .align = options.align});
    const auto at = static_cast<std::size_t>(device);
    const auto keep = [&](Tensor tensor) -> const Tensor& {
      kept_.push_back(std::move(tensor));
      return kept_.back();
    };
    const auto operand = [&](const Tensor& tensor) -> const Tensor& {
      return keep(tensor.dtype() == desc.lhs ? tensor.clone() : converted(tensor, desc.lhs));
    };
    launch.input(at, "lhs", operand(lhs));
    launch.input(at, "rhs", operand(part.rhs));
    launch.input(at, "group_sizes", keep(sizes_tensor(desc)));
    if (options.existing_out) launch.input(at, "existing_out", keep(options.existing_out->clone()));
    return {};
  }

  Expected<Tensor> join(std::vector<Tensor> results) {
    for (std::size_t d = 0; d < results.size(); ++d) {
      Tensor& result = results[d];
      result = first_rows(std::move(result), parts_[d].lhs.dim(0));
      if (!options_.out_shard_callback) continue;
      Expected<Tensor> own = called_back(options_, std::move(result));
      if (!own) return own.diags();
      result = *std::move(own);
    }
    const PartitionSpec& spec = *options_.out_specs;
    const Shape shape = TRY(joined_shape(results.front().shape(), spec, mesh_));
    Tensor whole = Tensor::uninitialised(results.front().dtype(), shape);
    for (std::int64_t d = 0; d < mesh_.devices(); ++d) {
      const std::int64_t first = first_holder(d, spec, mesh_);
      const Tensor& own = results[static_cast<std::size_t>(d)];
      if (first == d) {
        place_shard(whole, own, spec, mesh_, d);
      } else if (options_.check_vma) {
        TRY(check_replication(results[static_cast<std::size_t>(first)], own, first, d));
      }
    }
    const std::int64_t rows = std::min(rows_, whole.dim(0));
    return first_rows(std::move(whole), rows);
  }

  static Expected<void> check_replication(const Tensor& one, const Tensor& other,
                                          std::int64_t first, std::int64_t device) {
    const auto size = static_cast<std::size_t>(size_of(one.dtype()));
    for (std::int64_t i = 0; i < one.elements(); ++i) {
      const auto at = static_cast<std::size_t>(i) * size;
      if (std::memcmp(one.data() + at, other.data() + at, size) == 0) continue;
      return error(
          ErrorCode::runtime,
          fmt::format("the result of device {} differs from that of device {} at ({}, {}): {} and "
                      "{}; by out_specs both are one shard",
                      device, first, i / one.dim(1), i % one.dim(1), other.at(i), one.at(i)));
    }
    return {};
  }

  const GroupedInvocation& call_;
  const GroupedMatmulCall& options_;
  const Mesh& mesh_;
  const GroupedMatmulConfig config_;
  std::vector<OperandShard> parts_;
  std::deque<Tensor> kept_;
  Padding padding_;
  std::int64_t rows_ = 0, columns_ = 0;  // of the whole; of each shard's result
};

}  // namespace

Expected<void> check_mesh(const GroupedMatmulCall& call) {
  if (!call.mesh) return error("mesh must be provided for shard_map execution");
  if (!call.in_specs) return error("in_specs must be provided for shard_map execution");
  if (!call.out_specs) return error("out_specs must be provided for shard_map execution");
  constexpr std::size_t arguments = 3;
  if (call.in_specs->size() != arguments) {
    return error(
        fmt::format("in_specs length {} != call_args length {}", call.in_specs->size(), arguments));
  }
  const Platform platform = call.platform.value_or(call.cfg ? call.cfg->platform : Platform::Auto);
  if (!call.interpret && platform != Platform::Auto && platform != simulated_platform()) {
    return error(
        ErrorCode::unsupported,
        fmt::format("a mesh is made of simulated devices; platform {} has none", name(platform)));
  }
  for (const MeshAxis& axis : call.mesh->axes) {
    if (axis.size < 1)
      return error(fmt::format("axis {} of the mesh has {} devices", axis.name, axis.size));
  }
  return {};
}

Expected<GroupedMatmulConfig> mesh_config(const GroupedInvocation& call,
                                          GroupedConfigChain& chain) {
  GroupedMatmulCall here = *call.call;
  here.platform = simulated_platform();
  GroupedInvocation all = call;
  all.call = &here;
  GroupedMatmulConfig config;
  if (here.cfg) {
    config = *here.cfg;
  } else {
    const Expected<ConfigDecision> decision = GroupedMatmul(here.use_v2).choose(all, chain);
    if (!decision) return decision.diags();
    config = decision->config;
  }
  config.platform = simulated_platform();
  config.backend = Backend::Any;
  return config;
}

Expected<ShardedCall> create_sharded(const GroupedInvocation& call, GroupedConfigChain& chain) try {
  TRY(check_mesh(*call.call));
  return ShardedCall{[call, &chain](const Tensor& lhs, const Tensor& rhs,
                                    const Tensor& sizes) -> Expected<Tensor> {
                       GroupedMatmulCall here = *call.call;
                       here.platform = simulated_platform();
                       GroupedInvocation all = call;
                       all.lhs = &lhs;
                       all.rhs = &rhs;
                       all.group_sizes = &sizes;
                       all.call = &here;
                       const GroupedMatmulConfig config = TRY(mesh_config(all, chain));
                       return Shards(all, config).run(lhs, rhs, sizes);
                     },
                     {call.lhs, call.rhs, call.group_sizes}};
} catch (...) {
  return given_up("preparing a launch");
}

}  // namespace tessera
