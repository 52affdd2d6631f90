#include "kernels/grouped_gemm/on_gpu.h"

#include <string>

#include "kernels/programs/kernels.h"

namespace tessera {

cuda::GroupedShape DeviceGroupedGemm::shape() const {
  cuda::GroupedShape shape = cuda::expected_shape(kind == Kind::wgrad, m, k, n, groups);
  if (!expected_sizes.empty()) shape.sizes = expected_sizes;
  shape.out_bytes = static_cast<int>(size_of(out));
  if (kind == Kind::rows) shape.operand_bytes = static_cast<int>(size_of(lhs));
  return shape;
}

cuda::Configuration DeviceGroupedGemm::configuration() const {
  if (given) return *given;
  return cuda::estimated_best(shape(), cuda::gpu_figures(cuda::device_facts()));
}

Expected<Program> DeviceGroupedGemm::program(const cuda::Configuration& tuned) const {
  const bool is_wgrad = kind == Kind::wgrad;
  if (is_wgrad && transpose_rhs) return error("transpose_rhs is of rows, and this is wgrad");
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  const auto word = [](bool value) { return std::string(value ? "1" : "0"); };
  Settings settings{{"T", std::string(name(lhs))},
                    {"R", std::string(name(rhs))},
                    {"U", std::string(name(out))},
                    {"B", std::string(name(bias.value_or(DType::f32)))},
                    {"m", text(m)},
                    {"k", text(k)},
                    {"n", text(n)},
                    {"groups", text(groups)},
                    {"existing", word(adds_c)},
                    {"biased", word(bias.has_value())},
                    {"block_scales", word(block_scales)},
                    {"tm", text(tuned.tiling.m)},
                    {"tk", text(tuned.tiling.k)},
                    {"tn", text(tuned.tiling.n)},
                    {"buffers", text(tuned.buffers)}};
  if (is_wgrad) return make_kernel("grouped_gemm_wgrad", settings);
  settings["transpose_rhs"] = word(transpose_rhs);
  settings["align"] = text(tuned.align);
  return make_kernel("grouped_gemm", settings);
}

Expected<std::shared_ptr<cuda::Kernel>> device_grouped_gemm(const DeviceGroupedGemm& call) {
  const cuda::Configuration tuned = call.configuration();
  const Expected<Program> program = call.program(tuned);
  if (!program) return program.diags();
  return call.given ? cuda::Kernel::make_by(*program, tuned.hints)
                    : cuda::Kernel::make(*program, tuned.hints);
}

}  // namespace tessera
