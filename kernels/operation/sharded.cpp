#include "kernels/operation/sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "core/report/guarded.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/launch.h"
#include "kernels/launch/operand_type.h"
#include "kernels/operation/grouped_options.h"

namespace tessera {
namespace {

// One call's shards: their operands, the launch, and what becomes of the results.
class Shards {
 public:
  Shards(const GroupedInvocation& call, const GroupedMatmulConfig& config)
      : call_(call), options_(*call.call), mesh_(*options_.mesh), config_(config) {}

  Expected<Tensor> run(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes) {
    rows_ = lhs.rank() > 0 ? lhs.dim(0) : 0;
    if (Diags diags = cut(lhs, rhs, sizes); !diags.empty()) return diags;
    Launch launch("gmm", static_cast<std::size_t>(mesh_.devices()));
    for (std::int64_t d = 0; d < mesh_.devices(); ++d) {
      if (Diags diags = prepare(launch, d); !diags.empty()) return diags;
    }
    launch.results(grouped_options(call_, config_).out_dtype,
                   {padding_.rows, parts_.front().columns});
    CollectiveOptions how;
    how.device = simulated_platform().name();
    how.run = device_options(options_);
    Expected<std::vector<Tensor>> results = tessera::results(std::move(launch), how);
    if (!results) return results.diags();
    return join(*std::move(results));
  }

 private:
  struct Part {
    Tensor lhs, rhs, sizes, existing;
    std::int64_t rows = 0, columns = 0;
  };

  Diags cut(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes) {
    const auto& specs = *options_.in_specs;
    const Tensor* whole = &lhs;
    Tensor padded, padded_existing;
    const Tensor* existing = call_.existing_out;
    // Rows up to a multiple of the devices that share them; they are cut off at the end.
    if (options_.do_padding && lhs.rank() == 2 && !specs[0].empty() && specs[0][0]) {
      const MeshAxis* const axis = mesh_.find(*specs[0][0]);
      if (axis != nullptr && rows_ % axis->size != 0) {
        const std::int64_t more = (rows_ + axis->size - 1) / axis->size * axis->size;
        padded = padded_rows(lhs, more);
        whole = &padded;
        if (existing != nullptr && existing->rank() == 2) {
          padded_existing = padded_rows(*existing, more);
          existing = &padded_existing;
        }
      }
    }
    Diags diags = check_spec("lhs", whole->shape(), specs[0], mesh_);
    const auto check = [&](const char* what, const Tensor& tensor, const PartitionSpec& spec) {
      const Diags more = check_spec(what, tensor.shape(), spec, mesh_);
      diags.insert(diags.end(), more.begin(), more.end());
    };
    check("rhs", rhs, specs[1]);
    check("group_sizes", sizes, specs[2]);
    if (existing != nullptr) check("existing_out", *existing, *options_.out_specs);
    if (!diags.empty()) return diags;
    for (std::int64_t d = 0; d < mesh_.devices(); ++d) {
      Part part;
      part.lhs = shard(*whole, specs[0], mesh_, d);
      part.rhs = shard(rhs, specs[1], mesh_, d);
      part.sizes = shard(sizes, specs[2], mesh_, d);
      if (existing != nullptr) part.existing = shard(*existing, *options_.out_specs, mesh_, d);
      parts_.push_back(std::move(part));
    }
    return {};
  }

  // Pads the device's part and binds it; what the kernel would not take is an error.
  Diags prepare(Launch& launch, std::int64_t device) {
    Part& part = parts_[static_cast<std::size_t>(device)];
    GroupedInvocation local = call_;
    local.lhs = &part.lhs;
    local.rhs = &part.rhs;
    local.group_sizes = &part.sizes;
    local.existing_out = call_.existing_out ? &part.existing : nullptr;
    const auto prefixed = [&](const Diags& diags) {
      Diags result = diags;
      for (Diag& diag : result)
        diag.message = fmt::format("shard of device {}: {}", device, diag.message);
      return result;
    };
    Expected<PaddedCall> padded = padded_call(local, config_);
    if (!padded) return prefixed(padded.diags());
    padding_ = padded->padding;
    GroupedMatmulOptions& options = padded->options;
    options.existing_out = padded->existing(local);
    const Tensor& lhs = padded->lhs(local);
    Expected<GroupedDesc> described = describe_gmm(lhs, part.rhs, part.sizes, options);
    if (!described) return prefixed(described.diags());
    GroupedDesc& desc = *described;
    desc.lhs = desc.rhs = common_operand(desc.lhs, desc.rhs).value_or(desc.lhs);
    part.rows = part.lhs.dim(0);
    part.columns = desc.n;
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
      result = first_rows(std::move(result), parts_[d].rows);
      if (!options_.out_shard_callback) continue;
      Expected<Tensor> own = called_back(options_, std::move(result));
      if (!own) return own.diags();
      result = *std::move(own);
    }
    const PartitionSpec& spec = *options_.out_specs;
    Shape shape = results.front().shape();
    if (spec.size() > shape.size()) return check_spec("the result", shape, spec, mesh_);
    for (std::size_t d = 0; d < spec.size(); ++d) {
      if (!spec[d]) continue;
      const MeshAxis* const axis = mesh_.find(*spec[d]);
      if (axis == nullptr) return check_spec("the result", shape, spec, mesh_);
      shape[d] *= axis->size;
    }
    if (Diags diags = check_spec("the result", shape, spec, mesh_); !diags.empty()) return diags;
    Tensor whole = Tensor::uninitialised(results.front().dtype(), shape);
    for (std::int64_t d = 0; d < mesh_.devices(); ++d) {
      const std::int64_t first = first_holder(d, spec, mesh_);
      const Tensor& own = results[static_cast<std::size_t>(d)];
      if (first == d) {
        place_shard(whole, own, spec, mesh_, d);
      } else if (options_.check_vma) {
        if (auto problem = replication(results[static_cast<std::size_t>(first)], own, first, d))
          return *std::move(problem);
      }
    }
    const std::int64_t rows = std::min(rows_, whole.dim(0));
    return first_rows(std::move(whole), rows);
  }

  static std::optional<Diag> replication(const Tensor& one, const Tensor& other, std::int64_t first,
                                         std::int64_t device) {
    const auto size = static_cast<std::size_t>(size_of(one.dtype()));
    for (std::int64_t i = 0; i < one.elements(); ++i) {
      const auto at = static_cast<std::size_t>(i) * size;
      if (std::memcmp(one.data() + at, other.data() + at, size) == 0) continue;
      return error(
          ErrorCode::runtime,
          fmt::format("the result of device {} differs from that of device {} at "
                      "({}, {}): {} and {}; by out_specs they are one",
                      device, first, i / one.dim(1), i % one.dim(1), other.at(i), one.at(i)));
    }
    return std::nullopt;
  }

  const GroupedInvocation& call_;
  const GroupedMatmulCall& options_;
  const Mesh& mesh_;
  const GroupedMatmulConfig config_;
  std::vector<Part> parts_;
  std::deque<Tensor> kept_;
  Padding padding_;
  std::int64_t rows_ = 0;
};

}  // namespace

Expected<ShardedCall> create_sharded(const GroupedInvocation& call, GroupedConfigChain& chain) try {
  const GroupedMatmulCall& options = *call.call;
  if (!options.mesh) return error("mesh must be provided for shard_map execution");
  if (!options.in_specs) return error("in_specs must be provided for shard_map execution");
  if (!options.out_specs) return error("out_specs must be provided for shard_map execution");
  constexpr std::size_t arguments = 3;
  if (options.in_specs->size() != arguments) {
    return error(fmt::format("in_specs length {} != call_args length {}", options.in_specs->size(),
                             arguments));
  }
  const Platform platform =
      options.platform.value_or(options.cfg ? options.cfg->platform : Platform::Auto);
  if (!options.interpret && platform != Platform::Auto && platform != simulated_platform()) {
    return error(
        ErrorCode::unsupported,
        fmt::format("a mesh is made of simulated devices; platform {} has none", name(platform)));
  }
  for (const MeshAxis& axis : options.mesh->axes) {
    if (axis.size < 1)
      return error(fmt::format("axis {} of the mesh has {} devices", axis.name, axis.size));
  }
  return ShardedCall{[call, &chain](const Tensor& lhs, const Tensor& rhs,
                                    const Tensor& sizes) -> Expected<Tensor> {
                       GroupedMatmulCall here = *call.call;
                       here.platform = simulated_platform();
                       GroupedInvocation all = call;
                       all.lhs = &lhs;
                       all.rhs = &rhs;
                       all.group_sizes = &sizes;
                       all.call = &here;
                       GroupedMatmulConfig config;
                       if (here.cfg) {
                         config = *here.cfg;
                       } else {
                         const Expected<Decision<GroupedMatmulConfig>> decision =
                             GroupedMatmul(here.use_v2).choose(all, chain);
                         if (!decision) return decision.diags();
                         config = decision->config;
                       }
                       config.platform = simulated_platform();
                       config.backend = Backend::Any;
                       return Shards(all, config).run(lhs, rhs, sizes);
                     },
                     {call.lhs, call.rhs, call.group_sizes}};
} catch (...) {
  return given_up("preparing a launch");
}

}  // namespace tessera
