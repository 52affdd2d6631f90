#include "kernels/grouped_matmul/run.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/report/try.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/launch/executable_cache.h"
#include "kernels/launch/operand_type.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

// Types in which the product may be multiplied, best first. A gmm kernel has one type for both
// operands.
std::vector<DType> types_to_try(const Device& device, const GroupedDesc& desc) {
  const DType common = common_operand(desc.lhs, desc.rhs).value_or(desc.lhs);
  if (desc.is_tgmm() || desc.lhs != desc.rhs || desc.lhs == common) return {common};
  if (device.fp8_products(desc) != Fp8Products::native) return {common};
  return {desc.lhs, common};
}

struct BuiltProduct {
  ConfigDecision decision;
  Program program;
  PrepareOptions how;
};

// Key of the program for the executable cache. Empty, so not cached, for devices that are not
// simulated (their executables own device memory), for the caller's own programs, and with hints.
std::string key_of(const Device& device, const GroupedDesc& desc, DType type,
                   const KernelConfig& config, const GroupedMatmulOptions& options) {
  if (!device.is_simulated() || options.program != nullptr || options.hints != MachineHints{})
    return {};
  GroupedDesc multiplied = desc;
  multiplied.lhs = multiplied.rhs = type;
  std::string key = fmt::format("{} {}", device.name(), kernel_of(desc));
  for (const auto& [name, value] : kernel_settings(multiplied, config))
    key += fmt::format(" {}={}", name, value);
  return key;
}

// Returns the product with operands of this type, with the built-in kernel or with a kernel of
// `own`.
ConfigQuery query_in(DType type, GroupedDesc desc, const Module* own) {
  desc.lhs = desc.rhs = type;
  return {desc,
          [desc, own](const KernelConfig& config) { return kernel_program(desc, config, own); }};
}

// asks_caches: true if cached configurations of the user may be used.
ConfigQuestion question_of(const Device& device, const GroupedDesc& desc, DType type,
                           bool asks_caches, const GroupedMatmulOptions& options) {
  return {.problem = grouped_problem(device, desc, options.run),
          .query = query_in(type, desc, options.program),
          .is_shipped = asks_caches && options.program == nullptr,
          .parts = config_request(options)};
}

// is_last: true for the last type, for which any kernel may be used; other types need a fast
// kernel.
Expected<BuiltProduct> build(const ConfigQuestion& question, ConfigDecision decision, bool is_last,
                             const GroupedMatmulOptions& options) {
  const KernelConfig& config = decision.config.kernel;
  Program program = TRY(question.query.kernel(config));
  // Hints of the device may be ignored; hints of the caller must be honoured.
  const PrepareOptions how{.hints = config.hints,
                           .may_ignore_hints = options.hints == MachineHints{},
                           .require_fast = !is_last};
  return BuiltProduct{std::move(decision), std::move(program), how};
}

std::vector<std::string> messages(const Diags& warnings) {
  std::vector<std::string> texts;
  for (const Diag& warning : warnings) texts.push_back(warning.message);
  return texts;
}

}  // namespace

Expected<PreparedProduct> prepare_product(const Device& device, const GroupedDesc& desc,
                                          const GroupedMatmulOptions& options) {
  const std::vector<DType> types = types_to_try(device, desc);
  for (const DType type : types) {
    const bool is_last = type == types.back();
    const ConfigQuestion question = question_of(device, desc, type, true, options);
    ConfigDecision decision = TRY(choose_config(question));
    const std::string key = key_of(device, desc, type, decision.config.kernel, options);
    if (std::optional<CachedExecutable> kept = key.empty() ? std::nullopt : take_kept(key))
      return PreparedProduct{type,
                             decision.config.kernel,
                             messages(decision.warnings),
                             std::move(kept->executable),
                             kept->result_place,
                             key};
    BuiltProduct built = TRY(build(question, std::move(decision), is_last, options));
    Expected<std::unique_ptr<Executable>> executable = prepared(device, built.program, built.how);
    if (!executable && !is_last && executable.diags().front().code == ErrorCode::unsupported)
      continue;
    PreparedProduct made{type,
                         built.decision.config.kernel,
                         messages(built.decision.warnings),
                         TRY(std::move(executable)),
                         {},
                         key};
    for (const Buffer& buffer : built.program.buffers)
      if (buffer.role == Role::out) made.result_place = built.program.loc(buffer.place);
    return made;
  }
  return error(ErrorCode::unsupported, "no type to multiply in");
}

void keep(PreparedProduct product) {
  if (product.key.empty()) return;
  keep(std::move(product.key), {std::move(product.executable), std::move(product.result_place)});
}

Support supports_product(const Device& device, const GroupedDesc& desc,
                         const GroupedMatmulOptions& options) {
  const std::vector<DType> types = types_to_try(device, desc);
  Support can;
  for (const DType type : types) {
    const ConfigQuestion question = question_of(device, desc, type, false, options);
    Expected<ConfigDecision> decision = choose_config(question);
    if (!decision) return {false, decision.diags().front().message};
    const Expected<BuiltProduct> built =
        build(question, *std::move(decision), type == types.back(), options);
    if (!built) return {false, built.diags().front().message};
    can = device.supports(built->program, built->how);
    if (can.ok) break;
  }
  return can;
}

Expected<void> run_prepared(const Device& device, Executable& executable, DeviceBinding binding,
                            Precision precision, const DeviceOptions& run,
                            GroupedMatmulRun& result) {
  result.device = device.name();
  if (std::optional<std::string> note = device.precision_note(precision))
    result.notes.push_back(*std::move(note));
  for (std::string& note : executable.notes()) result.notes.push_back(std::move(note));
  binding.emplace("out", &result.out);
  result.report = TRY(executable.run({std::move(binding)}, run));
  return {};
}

void run_reference(Tensor (*reference)(const GroupedProblem&, DType), const GroupedProblem& problem,
                   const GroupedMatmulOptions& options, GroupedMatmulRun& result) {
  const auto begin = std::chrono::steady_clock::now();
  result.device = reference_device;
  result.out = reference(problem, options.out_dtype);
  result.report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tessera
