#include "kernels/operation/grouped_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/report/try.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

// Returns the platform of the call; `config` supplies the platform if the call has none.
Expected<Platform> call_platform(const GroupedMatmulCall& call, const GroupedMatmulConfig& config) {
  Platform asked = call.platform.value_or(config.platform);
  if (call.interpret) {
    const Platform simulated = simulated_platform();
    if (asked != Platform::Auto && asked != simulated)
      return error(fmt::format("interpret selects the {}, and the platform is {}", name(simulated),
                               name(asked)));
    asked = simulated;
  }
  return resolve_platform(call.use_v2 ? "grouped_matmulv2" : "grouped_matmul", asked,
                          asked == config.platform ? config.backend : Backend::Any);
}

// Returns the options that do not depend on the configuration.
Expected<GroupedMatmulOptions> call_options(const GroupedMatmulOperands& operands,
                                            const GroupedMatmulCall& call) {
  GroupedMatmulOptions options;
  options.out_dtype = call.preferred_element_type.value_or(DType::f32);
  options.window.rows = call.rows;
  if (operands.group_offset) options.window = TRY(group_window(*operands.group_offset, call.rows));
  options.transpose_rhs = call.transpose_rhs;
  options.existing_out = operands.existing_out;
  options.existing_mode = call.existing_mode;
  options.precision = call.precision;
  options.run = call.run;
  if (!call.profile.empty()) {
    if (const Expected<Profile> profile = find_profile(call.profile))
      options.run.profile = profile->machine;
  }
  return options;
}

Expected<GroupedDesc> described(const GroupedMatmulOperands& operands,
                                const GroupedMatmulOptions& options) {
  return describe_gmm(*operands.lhs, *operands.rhs, *operands.group_sizes, options);
}

// Returns compute(lhs, options), with the rows of lhs and existing_out padded for the
// configuration.
template <typename Compute>
std::invoke_result_t<Compute, const Tensor&, const GroupedMatmulOptions&> on_padded(
    const GroupedMatmulOperands& operands, const GroupedMatmulCall& call,
    const GroupedMatmulConfig& config, Compute compute) {
  const Platform platform = TRY(call_platform(call, config));
  GroupedMatmulOptions options = TRY(call_options(operands, call));
  options.tiling = config.kernel.tiling;
  options.input_buffer_count = config.kernel.buffers;
  options.align = config.kernel.align;
  options.hints = config.kernel.hints;
  TRY(check_platform(config, platform));
  // Validate the operands before padding.
  const GroupedDesc valid = TRY(described(operands, options));
  // Kernels of a device that supports launches mask the last tile, so they need no padding. Its
  // instructions determine their tiles, so the tiling is not clamped.
  const Device* const device = find_device(platform);
  const bool masks = device != nullptr && device->supports_launch();
  const Padding padding =
      masks ? Padding{valid.m, config.kernel.tiling}
            : TRY(grouped_padding(valid.m, valid.k, valid.n, config, call.do_padding));
  options.device = device_of(platform);
  options.tiling = padding.tiling;
  if (platform == Platform::Reference) {  // not tiled
    options.tiling = {};
    options.input_buffer_count = GroupedMatmulOptions().input_buffer_count;
    options.align.reset();
  }
  if (padding.rows == valid.m) return compute(*operands.lhs, options);
  const Tensor lhs = padded_rows(*operands.lhs, padding.rows);
  Tensor existing;
  if (operands.existing_out) {
    existing = padded_rows(*operands.existing_out, padding.rows);
    options.existing_out = &existing;
  }
  return compute(lhs, options);
}

}  // namespace

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

Expected<GroupedTuningProblem> tuning_problem(const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call) {
  GroupedTuningProblem result;
  result.platform = TRY(call_platform(call, call.cfg.value_or(GroupedMatmulConfig{})));
  const GroupedMatmulOptions options = TRY(call_options(operands, call));
  result.desc = TRY(described(operands, options));
  const std::string& machine = options.run.profile.name;
  result.profile = TRY(find_profile(!call.profile.empty() ? call.profile
                                    : machine.empty()     ? std::string(default_profile)
                                                          : machine));
  result.use_v2 = call.use_v2;
  if (call.profile.empty() && !machine.empty()) result.profile.machine = options.run.profile;
  return result;
}

Expected<ConfigDecision> choose_config(const GroupedMatmulOperands& operands,
                                       const GroupedMatmulCall& call) {
  static GroupedConfigChain of_process(PersistentCache::of_user());
  ConfigQuestion question = question_of(TRY(tuning_problem(operands, call)));
  question.given = call.cfg;
  question.overlay = call.overlay;
  question.policy = call.policy;
  question.tuner = call.tuner;
  return choose_config(question, call.chain != nullptr ? call.chain : &of_process);
}

Expected<void> check_call(const GroupedMatmulOperands& operands, const GroupedMatmulCall& call,
                          const GroupedMatmulConfig& config) {
  return on_padded(operands, call, config,
                   [](const Tensor&, const GroupedMatmulOptions&) { return Expected<void>(); });
}

Expected<GroupedMatmulRun> run_by(const GroupedMatmulOperands& operands,
                                  const GroupedMatmulCall& call,
                                  const GroupedMatmulConfig& config) {
  GroupedMatmulRun run = TRY(on_padded(
      operands, call, config, [&](const Tensor& lhs, const GroupedMatmulOptions& options) {
        return run_grouped_matmul(lhs, *operands.rhs, *operands.group_sizes, options);
      }));
  if (Diags diags = faults(run.report); !diags.empty()) return diags;
  run.out = first_rows(std::move(run.out), operands.lhs->dim(0));
  return run;
}

// The cotangent of the padding is zero.
Expected<GroupedMatmulGradients> gradients_by(const Tensor& cotangent,
                                              const GroupedMatmulOperands& operands,
                                              const GroupedMatmulCall& call,
                                              const GroupedMatmulConfig& config) {
  const auto compute =
      [&](const Tensor& lhs,
          const GroupedMatmulOptions& options) -> Expected<GroupedMatmulGradients> {
    TRY(check_cotangent(cotangent,
                        {operands.lhs->dim(0), operands.rhs->dim(call.transpose_rhs ? 1 : 2)}));
    return grouped_matmul_vjp(padded_rows(cotangent, lhs.dim(0)), lhs, *operands.rhs,
                              *operands.group_sizes, options);
  };
  GroupedMatmulGradients gradients = TRY(on_padded(operands, call, config, compute));
  const std::int64_t rows = operands.lhs->dim(0);
  gradients.lhs = first_rows(std::move(gradients.lhs), rows);
  if (gradients.existing_out)
    gradients.existing_out = first_rows(*std::move(gradients.existing_out), rows);
  return gradients;
}

Expected<void> check_cotangent(const Tensor& cotangent, const Shape& shape) {
  if (cotangent.shape() == shape) return {};
  return error(fmt::format("the cotangent has shape {}, the result has {}",
                           to_string(cotangent.shape()), to_string(shape)));
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

}  // namespace tessera
