#include "kernels/grouped_gemm/on_gpu.h"

#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {

Expected<std::unique_ptr<Executable>> device_grouped_gemm(
    const GroupedGemmDesc& desc, const std::optional<KernelConfig>& given) {
  const Device& device = launching_device();
  const ConfigQuery query{
      desc.product, [&](const KernelConfig& config) { return grouped_gemm_program(desc, config); }};
  const KernelConfig config =
      given ? *given : TRY(choose_config(question_of(device, query, {}))).config.kernel;
  const Program program = TRY(grouped_gemm_program(desc, config));
  return device.prepare(program, {.hints = config.hints, .may_ignore_hints = !given});
}

}  // namespace tessera
