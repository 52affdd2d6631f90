#include "kernels/grouped_gemm/settings.h"

#include <string>

#include "kernels/launch/config_request.h"
#include "kernels/programs/kernels.h"

namespace tessera {

std::string_view kernel_of(const GroupedGemmDesc& desc) {
  return desc.product.is_tgmm() ? "grouped_gemm_wgrad" : "grouped_gemm";
}

Expected<Program> grouped_gemm_program(const GroupedGemmDesc& desc, const KernelConfig& config) {
  const GroupedDesc& p = desc.product;
  if (p.is_tgmm() && p.transpose_rhs)
    return error("transpose_rhs is for products of rows, and this is the gradient of the weights");
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  const auto word = [](bool value) { return std::string(value ? "1" : "0"); };
  Settings settings{{"T", std::string(name(p.lhs))},
                    {"R", std::string(name(p.rhs))},
                    {"U", std::string(name(p.out))},
                    {"B", std::string(name(desc.bias.value_or(DType::f32)))},
                    {"m", text(p.m)},
                    {"k", text(p.k)},
                    {"n", text(p.n)},
                    {"groups", text(p.groups())},
                    {"existing", word(desc.adds_c)},
                    {"biased", word(desc.bias.has_value())},
                    {"block_scales", word(desc.block_scales)}};
  if (!p.is_tgmm()) settings["transpose_rhs"] = word(p.transpose_rhs);
  set_config(settings, config);
  return make_kernel(kernel_of(desc), settings);
}

}  // namespace tessera
