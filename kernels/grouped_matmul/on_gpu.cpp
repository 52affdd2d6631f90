#include "kernels/grouped_matmul/on_gpu.h"

#include <fmt/format.h>

#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

// Rejects options that only gmm has.
Expected<void> check_tgmm(const GroupedDesc& desc) {
  const char* const what = desc.transpose_rhs ? "transpose_rhs"
                           : desc.local_rows  ? "local_rows"
                           : desc.existing == ExistingOut::Overwrite
                               ? "overwriting an existing result"
                               : nullptr;
  if (!desc.is_tgmm() || what == nullptr) return {};
  return error(fmt::format("{} is for gmm, and this is tgmm", what));
}

Expected<KernelConfig> chosen_config(const Device& device, const GroupedDesc& desc) {
  ConfigQuestion question = question_of(grouped_problem(device, desc, {}));
  question.query = config_query(desc);
  return TRY(choose_config(question)).config.kernel;
}

}  // namespace

Expected<std::unique_ptr<Executable>> device_grouped_matmul(
    const GroupedDesc& desc, const std::optional<KernelConfig>& given) {
  TRY(check_tgmm(desc));
  const Device& device = launching_device();
  const KernelConfig config = given ? *given : TRY(chosen_config(device, desc));
  const Program program = TRY(kernel_program(desc, config));
  return device.prepare(program, {.hints = config.hints, .may_ignore_hints = !given});
}

}  // namespace tessera
