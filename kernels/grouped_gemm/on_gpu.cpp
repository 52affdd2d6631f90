#include "kernels/grouped_gemm/on_gpu.h"

#include "core/report/try.h"
#include "devices/devices.h"

namespace tessera {

Expected<std::unique_ptr<Executable>> device_grouped_gemm(
    const GroupedGemmDesc& desc, const std::optional<KernelConfig>& given) {
  const Device& device = launching_device();
  const KernelConfig config = given ? *given : device.choose(desc.product, {}).config;
  const Program program = TRY(grouped_gemm_program(desc, config));
  return device.prepare(program, {.hints = config.hints, .may_ignore_hints = !given});
}

}  // namespace tessera
