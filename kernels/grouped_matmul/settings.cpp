#include "kernels/grouped_matmul/settings.h"

#include <fmt/format.h>

#include <string>

#include "core/report/try.h"
#include "kernels/launch/config_request.h"
#include "kernels/programs/kernels.h"

namespace tessera {
namespace {

// True if the kernel gets the sizes of the processed groups only: the tgmm kernel counts rows from
// the first group, and lhs begins at the processed groups.
bool is_cut_to_local(const GroupedDesc& desc) { return desc.is_tgmm() && desc.local_rows; }

// tgmm computes every block, so an existing result that is overwritten is not read. The caller's
// own kernel need not have the parameter `existing`.
void set_existing(Settings& settings, const GroupedDesc& desc) {
  if (desc.existing == ExistingOut::Accumulate) settings["existing"] = "1";
  if (desc.existing == ExistingOut::Overwrite && !desc.is_tgmm()) settings["existing"] = "2";
}

}  // namespace

std::string_view kernel_of(const GroupedDesc& desc) { return desc.is_tgmm() ? "tgmm" : "gmm"; }

Settings kernel_settings(const GroupedDesc& desc, const KernelConfig& config) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  const bool is_local = is_cut_to_local(desc);
  Settings settings{{"T", std::string(name(desc.lhs))},
                    {"U", std::string(name(desc.out))},
                    {"m", text(desc.m)},
                    {"k", text(desc.k)},
                    {"n", text(desc.n)},
                    {"groups", text(is_local ? desc.local_groups : desc.groups())},
                    {"local_groups", text(desc.local_groups)},
                    {"group_offset", text(is_local ? 0 : desc.group_offset)}};
  set_existing(settings, desc);
  if (!desc.is_tgmm()) {
    settings["transpose_rhs"] = desc.transpose_rhs ? "1" : "0";
    settings["local_rows"] = desc.local_rows ? "1" : "0";
  }
  set_config(settings, config);
  return settings;
}

Expected<Program> kernel_program(std::string_view kernel, const Settings& settings,
                                 const Module* own) {
  if (own == nullptr) return make_kernel(kernel, settings);
  if (own->find(kernel) == nullptr)
    return error(fmt::format("{} has no kernel {}", own->source->name, kernel));
  return instantiate(*own, kernel, settings, TRY(function_library()));
}

Expected<Program> kernel_program(const GroupedDesc& desc, const KernelConfig& config,
                                 const Module* own) {
  return kernel_program(kernel_of(desc), kernel_settings(desc, config), own);
}

Tensor i32_tensor(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::i32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(values[i]);
  return tensor;
}

Tensor sizes_tensor(const GroupedDesc& desc) {
  if (!is_cut_to_local(desc)) return i32_tensor(desc.sizes);
  const auto first = desc.sizes.begin() + desc.group_offset;
  return i32_tensor({first, first + desc.local_groups});
}

}  // namespace tessera
