#include "kernels/grouped_matmul/run.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "devices/cuda/lower/general.h"
#include "kernels/launch/launch.h"
#include "kernels/programs/kernels.h"

namespace tessera {
namespace {

Expected<Program> program_of(std::string_view kernel, const Settings& settings,
                             const GroupedMatmulOptions& options) {
  if (options.program == nullptr) return make_kernel(kernel, settings);
  if (options.program->find(kernel) == nullptr) {
    return error(fmt::format("{} has no kernel {}", options.program->source->name, kernel));
  }
  const auto library = function_library();
  if (!library) return library.diags();
  return instantiate(*options.program, kernel, settings, *library);
}

}  // namespace

Settings kernel_settings(const GroupedCall& call, const GroupedMatmulOptions& options) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return {{"T", std::string(name(call.operand))},
          {"U", std::string(name(options.out_dtype))},
          {"m", text(call.m)},
          {"k", text(call.k)},
          {"n", text(call.n)},
          {"groups", text(call.groups())},
          {"local_groups", text(call.local_groups)},
          {"group_offset", text(options.window.offset)},
          {"tm", text(call.tiling.m)},
          {"tk", text(call.tiling.k)},
          {"tn", text(call.tiling.n)},
          {"buffers", text(call.buffers)}};
}

Settings gmm_settings(const GroupedCall& call, const GroupedMatmulOptions& options) {
  Settings settings = kernel_settings(call, options);
  settings["transpose_rhs"] = options.transpose_rhs ? "1" : "0";
  settings["local_rows"] = options.window.rows == GroupWindow::Local ? "1" : "0";
  if (call.align) settings["align"] = std::to_string(*call.align);
  if (options.existing_out)
    settings["existing"] = options.existing_mode == ExistingOut::Accumulate ? "1" : "2";
  return settings;
}

bool has_fast_kernel(std::string_view kernel, const Settings& settings,
                     const GroupedMatmulOptions& options, const MachineHints& hints) {
  const Expected<Program> program = program_of(kernel, settings, options);
  return program && cuda::lower(*program, hints);
}

Diags check_lowering(std::string_view kernel, const Settings& settings,
                     const GroupedMatmulOptions& options) {
  const Expected<Program> program = program_of(kernel, settings, options);
  if (!program) return program.diags();
  const Expected<cuda::LoweredKernel> plan = cuda::lower_any(*program, options.hints);
  return plan ? Diags() : plan.diags();
}

Tensor sizes_tensor(const std::vector<std::int64_t>& sizes) {
  Tensor tensor(DType::i32, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor.as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes[g]);
  return tensor;
}

Diags run_kernel(std::string_view kernel, const Settings& settings, DeviceBinding binding,
                 const GroupedMatmulOptions& options, GroupedMatmulRun& result,
                 const MachineHints& hints) {
  const Expected<const Device*> device = choose_device(options.device, reference_device);
  if (!device) return device.diags();
  result.device = (*device)->name();
  const Expected<Program> program = program_of(kernel, settings, options);
  if (!program) return program.diags();
  for (const Buffer& buffer : program->buffers) {
    if (buffer.role == Role::out) result.result_place = program->loc(buffer.place);
  }
  if (result.device == "interpreter" && options.precision != Precision::Default) {
    result.notes.emplace_back("the interpreter computes every precision in f32");
  }
  // The model's own hints may go unused; the caller's may not.
  const UnusedHints unused =
      options.hints == MachineHints{} ? UnusedHints::ignored : UnusedHints::refused;
  const Expected<std::unique_ptr<Executable>> executable =
      prepared(**device, *program, hints, unused);
  if (!executable) return executable.diags();
  for (std::string& note : (*executable)->notes()) result.notes.push_back(std::move(note));
  binding.emplace("out", &result.out);
  Expected<DeviceReport> report = (*executable)->run({binding}, options.run);
  if (!report) return report.diags();
  result.report = *std::move(report);
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
