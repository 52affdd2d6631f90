#include "kernels/operation/grouped_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/operation/grouped_options.h"
#include "kernels/operation/sharded.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

// The platform that the call or the configuration names.
Expected<Platform> asked_platform(const GroupedMatmulCall& call,
                                  const GroupedMatmulConfig& config) {
  const Platform asked = call.platform.value_or(config.platform);
  if (!call.interpret) return asked;
  const Platform simulated = simulated_platform();
  if (asked == Platform::Auto || asked == simulated) return simulated;
  return error(fmt::format("interpret asks for the {}, and the platform is {}", name(simulated),
                           name(asked)));
}

}  // namespace

GroupedConfigChain& grouped_config_chain() {
  static GroupedConfigChain chain(PersistentCache::of_user());
  return chain;
}

Expected<Padding> grouped_padding(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const GroupedMatmulConfig& config, bool do_padding) {
  TRY(check_config(config));
  const auto at_least_one = [](std::int64_t value) { return std::max<std::int64_t>(value, 1); };
  Padding result{m, {}};
  const Tiling& tiling = config.kernel.tiling;
  if (do_padding) result.rows = (m + tiling.m - 1) / tiling.m * tiling.m;
  result.tiling = {std::min(tiling.m, at_least_one(result.rows)),
                   std::min(tiling.k, at_least_one(k)), std::min(tiling.n, at_least_one(n))};
  if (result.rows % result.tiling.m == 0) return result;
  return error(
      fmt::format("{} must be divisible by x-dimension tile size ({}).", m, result.tiling.m));
}

Tensor padded_rows(const Tensor& tensor, std::int64_t rows) {
  Shape shape = tensor.shape();
  shape[0] = rows;
  Tensor result(tensor.dtype(), shape);
  if (tensor.bytes() > 0)
    std::memcpy(result.data(), tensor.data(), static_cast<std::size_t>(tensor.bytes()));
  return result;
}

Tensor first_rows(Tensor tensor, std::int64_t rows) {
  if (tensor.dim(0) == rows) return tensor;
  Shape shape = tensor.shape();
  shape[0] = rows;
  Tensor result = Tensor::uninitialised(tensor.dtype(), shape);
  if (result.bytes() > 0)
    std::memcpy(result.data(), tensor.data(), static_cast<std::size_t>(result.bytes()));
  return result;
}

GroupedMatmulOptions call_options(const GroupedInvocation& call) {
  const GroupedMatmulCall& given = *call.call;
  GroupedMatmulOptions options;
  options.out_dtype = given.preferred_element_type.value_or(DType::f32);
  options.window.rows = given.rows;
  options.transpose_rhs = given.transpose_rhs;
  options.existing_out = call.existing_out;
  options.existing_mode = given.existing_mode;
  options.precision = given.precision;
  options.run = device_options(given);
  return options;
}

DeviceOptions device_options(const GroupedMatmulCall& call) {
  DeviceOptions options = call.run;
  if (call.profile.empty()) return options;
  if (const Expected<Profile> profile = find_profile(call.profile))
    options.profile = profile->machine;
  return options;
}

GroupedMatmulOptions grouped_options(const GroupedInvocation& call,
                                     const GroupedMatmulConfig& config) {
  GroupedMatmulOptions options = call_options(call);
  options.tiling = config.kernel.tiling;
  options.input_buffer_count = config.kernel.buffers;
  options.align = config.kernel.align;
  options.hints = config.kernel.hints;
  return options;
}

Expected<PaddedCall> padded_call(const GroupedInvocation& call, const GroupedMatmulConfig& config) {
  const GroupedMatmulCall& given = *call.call;
  PaddedCall result;
  result.options = grouped_options(call, config);
  if (call.group_offset) {
    Expected<GroupWindow> window = group_window(*call.group_offset, given.rows);
    if (!window) return window.diags();
    result.options.window = *window;
  }
  TRY(check_platform(config, config.platform));
  // The operands are judged as they are given, before any row is added.
  const GroupedDesc valid =
      TRY(describe_gmm(*call.lhs, *call.rhs, *call.group_sizes, result.options));
  const Expected<const Device*> device = find_device(name(config.platform));
  // The kernels of a device with memory of its own mask what hangs over, and their tiles are those
  // of its instructions.
  const bool is_padded = !device || !(*device)->launches();
  const Expected<Padding> padding =
      is_padded ? grouped_padding(valid.m, valid.k, valid.n, config, given.do_padding)
                : Padding{valid.m, config.kernel.tiling};
  if (!padding) return padding.diags();
  result.padding = *padding;
  result.options.tiling = padding->tiling;
  result.is_padded = padding->rows != valid.m;
  if (result.is_padded) {
    result.padded_lhs = padded_rows(*call.lhs, padding->rows);
    if (call.existing_out) result.padded_existing = padded_rows(*call.existing_out, padding->rows);
  }
  return result;
}

Expected<Tensor> called_back(const GroupedMatmulCall& call, Tensor result) {
  if (!call.out_shard_callback) return result;
  const Shape shape = result.shape();
  const DType dtype = result.dtype();
  Tensor own = call.out_shard_callback(std::move(result));
  if (own.shape() == shape && own.dtype() == dtype) return own;
  return error(fmt::format("out_shard_callback returned {}{}, expected {}{}", name(own.dtype()),
                           to_string(own.shape()), name(dtype), to_string(shape)));
}

Expected<const KernelSpec*> GroupedMatmul::get_impl(const GroupedMatmulConfig& config) const {
  return registry_.get(op_id(), config.platform, config.backend);
}

Expected<GroupedTuningProblem> GroupedMatmul::problem(const GroupedInvocation& call) const {
  const GroupedMatmulCall& given = *call.call;
  const Expected<Platform> asked = asked_platform(given, given.cfg.value_or(GroupedMatmulConfig{}));
  if (!asked) return asked.diags();
  const Expected<Platform> platform = registry_.detect_platform(op_id(), *asked);
  if (!platform) return platform.diags();
  GroupedMatmulOptions options = call_options(call);
  if (call.group_offset) {
    const Expected<GroupWindow> window = group_window(*call.group_offset, given.rows);
    if (!window) return window.diags();
    options.window = *window;
  }
  GroupedTuningProblem result;
  result.desc = TRY(describe_gmm(*call.lhs, *call.rhs, *call.group_sizes, options));
  const std::string& machine = options.run.profile.name;
  const Expected<Profile> profile = find_profile(!given.profile.empty() ? given.profile
                                                 : machine.empty() ? std::string(default_profile)
                                                                   : machine);
  if (!profile) return profile.diags();
  result.use_v2 = use_v2_;
  result.platform = *platform;
  result.profile = *profile;
  if (given.profile.empty() && !machine.empty()) result.profile.machine = options.run.profile;
  return result;
}

Expected<OperationKey> GroupedMatmul::key(const GroupedInvocation& call) const {
  const Expected<GroupedTuningProblem> about = problem(call);
  if (!about) return about.diags();
  return grouped_key(*about);
}

Expected<GroupedMatmulConfig> GroupedMatmul::heuristic_cfg(const GroupedInvocation& call) const {
  const Expected<GroupedTuningProblem> about = problem(call);
  if (!about) return about.diags();
  const ConfigChoice choice = device_choice(*about, config_query(multiplied_desc(*about)));
  return GroupedMatmulConfig{.kernel = choice.config};
}

Expected<std::vector<GroupedMatmulConfig>> GroupedMatmul::candidate_cfgs(
    const GroupedInvocation& call) const {
  const Expected<GroupedTuningProblem> about = problem(call);
  if (!about) return about.diags();
  std::vector<GroupedMatmulConfig> configs;
  for (const ConfigChoice& choice : grouped_candidates(*about))
    configs.push_back({.kernel = choice.config});
  return configs;
}

Expected<ConfigDecision> GroupedMatmul::choose(const GroupedInvocation& call,
                                               GroupedConfigChain& chain) const {
  const Expected<GroupedTuningProblem> about = problem(call);
  if (!about) return about.diags();
  ConfigQuestion question = question_of(*about);
  question.given = call.call->cfg;
  question.overlay = call.call->overlay;
  question.policy = call.call->policy;
  question.tuner = call.call->tuner;
  return choose_config(question, &chain);
}

Expected<GroupedMatmulConfig> GroupedMatmul::placed(const GroupedInvocation& call,
                                                    const GroupedMatmulConfig& config) const {
  const Platform asked = TRY(asked_platform(*call.call, config));
  GroupedMatmulConfig here = config;
  if (asked != config.platform) {
    here.platform = asked;
    here.backend = Backend::Any;
  }
  const KernelSpec* const spec = TRY(get_impl(here));
  here.platform = spec->platform;
  return here;
}

Expected<GroupedMatmulRun> GroupedMatmul::run(const GroupedInvocation& call,
                                              const GroupedMatmulConfig& config) const try {
  const GroupedMatmulConfig here = TRY(placed(call, config));
  const KernelSpec& spec = *TRY(get_impl(here));
  const Expected<PaddedCall> padded = padded_call(call, here);
  if (!padded) return padded.diags();
  GroupedMatmulOptions options = padded->options;
  options.existing_out = padded->existing(call);
  Expected<GroupedMatmulRun> run =
      spec.run(padded->lhs(call), *call.rhs, *call.group_sizes, options);
  if (!run) return run.diags();
  if (Diags diags = faults(run->report); !diags.empty()) return diags;
  run->out = first_rows(std::move(run->out), call.lhs->dim(0));
  return run;
} catch (...) {
  return given_up("multiplying groups");
}

Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const Tensor* group_offset, const Tensor* existing_out,
                                const GroupedMatmulCall& call, GroupedConfigChain& chain) {
  const GroupedInvocation invocation{&lhs, &rhs, &group_sizes, group_offset, existing_out, &call};
  if (call.mesh || call.in_specs || call.out_specs) {
    const Expected<ShardedCall> sharded = create_sharded(invocation, chain);
    if (!sharded) return sharded.diags();
    return sharded->run(lhs, rhs, group_sizes);
  }
  if (call.check_vma)
    return error("check_vma compares the copies of one shard, and the call has no mesh");
  const GroupedMatmul operation(call.use_v2);
  const Expected<ConfigDecision> decision = operation.choose(invocation, chain);
  if (!decision) return decision.diags();
  Expected<GroupedMatmulRun> run = operation.run(invocation, decision->config);
  if (!run) return run.diags();
  return called_back(call, std::move(run->out));
}

}  // namespace tessera
