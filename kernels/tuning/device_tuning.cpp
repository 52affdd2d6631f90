#include "kernels/tuning/device_tuning.h"

#include <memory>
#include <utility>

#include "core/report/try.h"
#include "devices/workbench.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

Expected<std::unique_ptr<Executable>> executable_of(const Device& device, const GroupedDesc& desc,
                                                    const KernelConfig& config) {
  return device.prepare(TRY(kernel_program(desc, config)), {.hints = config.hints});
}

MeasuredOperand normal_operand(const char* name, DType dtype, std::int64_t elements,
                               std::uint64_t seed) {
  return {name, dtype, elements, normal_block(dtype, elements, seed)};
}

std::vector<MeasuredOperand> measured_operands(const GroupedDesc& d) {
  const std::int64_t weights = d.local_groups * d.k * d.n, rows = d.m * d.n;
  const std::int64_t right = d.is_tgmm() ? rows : weights, out = d.is_tgmm() ? weights : rows;
  std::vector<MeasuredOperand> operands;
  operands.push_back(normal_operand("lhs", d.lhs, d.m * d.k, 1));
  operands.push_back(normal_operand("rhs", d.rhs, right, 2));
  if (d.existing) operands.push_back(normal_operand("existing_out", d.out, out, 3));
  operands.push_back({"out", d.out, out, std::nullopt});
  Tensor sizes = sizes_tensor(d);
  const std::int64_t groups = sizes.elements();
  operands.push_back({"group_sizes", DType::i32, groups, std::move(sizes)});
  return operands;
}

// Measures the kernel of one candidate once per call. If it could not be prepared, every call
// fails.
TimedArm arm_of(Expected<std::unique_ptr<Executable>> made, const DeviceAddresses& operands,
                Workbench& bench) {
  auto executable = std::make_shared<Expected<std::unique_ptr<Executable>>>(std::move(made));
  return [executable, &operands, &bench]() -> Expected<double> {
    if (!*executable) return executable->diags();
    Executable& kernel = ***executable;
    const double took = TRY(bench.seconds([&] { return kernel.launch(operands, nullptr); }));
    TRY(kernel.check());
    return took;
  };
}

}  // namespace

GroupedDesc multiplied_desc(const GroupedTuningProblem& problem) {
  GroupedDesc desc = problem.desc;
  const bool is_native = problem.device() != nullptr && !desc.is_tgmm() && desc.lhs == desc.rhs &&
                         problem.device()->fp8_products(desc) == Fp8Products::native;
  if (!is_native) desc.lhs = desc.rhs = common_operand(desc.lhs, desc.rhs).value_or(desc.lhs);
  return desc;
}

ConfigQuery config_query(const GroupedDesc& multiplied) {
  return {multiplied,
          [multiplied](const KernelConfig& config) { return kernel_program(multiplied, config); }};
}

ConfigChoice device_choice(const GroupedTuningProblem& problem, const ConfigQuery& query) {
  const Device* const device = problem.device();
  if (device == nullptr) return {KernelConfig{}, {}, "the reference has no tiles"};
  return device->default_config(query, problem.device_options());
}

TuningResult<Config> expected_on_device(const GroupedTuningProblem& problem) {
  TuningResult<Config> result;
  for (const ConfigChoice& choice : grouped_candidates(problem))
    result.candidates.push_back({{.kernel = choice.config}, {}, {}, choice.expected_seconds});
  return result;
}

Expected<std::vector<Expected<double>>> seconds_on_device(const GroupedTuningProblem& problem,
                                                          const std::vector<ConfigChoice>& choices,
                                                          const Tuner& tuner) {
  const Device& device = *problem.device();
  const GroupedDesc desc = multiplied_desc(problem);
  const std::unique_ptr<Workbench> bench = TRY(device.workbench());
  DeviceAddresses operands;
  for (const MeasuredOperand& operand : measured_operands(desc))
    operands[operand.name] = TRY(bench->add(operand));
  std::vector<TimedArm> arms;
  for (const ConfigChoice& choice : choices)
    arms.push_back(arm_of(executable_of(device, desc, choice.config), operands, *bench));
  return seconds_in_turn(arms, tuner.warmup, tuner.iters);
}

}  // namespace tessera
