#include "kernels/grouped_matmul/on_gpu.h"

#include <fmt/format.h>

#include <string>

#include "kernels/programs/kernels.h"

namespace tessera {

cuda::GroupedShape DeviceGroupedMatmul::shape() const {
  cuda::GroupedShape shape = cuda::expected_shape(kind == Kind::tgmm, m, k, n, groups);
  if (!expected_sizes.empty()) shape.sizes = expected_sizes;
  shape.out_bytes = static_cast<int>(size_of(out));
  shape.operand_bytes = static_cast<int>(size_of(operand));
  return shape;
}

cuda::Configuration DeviceGroupedMatmul::configuration() const {
  if (given) return *given;
  return cuda::estimated_best(shape(), cuda::gpu_figures(cuda::device_facts()));
}

Expected<Program> DeviceGroupedMatmul::program(const cuda::Configuration& tuned) const {
  const bool is_gmm = kind == Kind::gmm;
  if (!is_gmm && (transpose_rhs || local_rows || existing == ExistingOut::Overwrite)) {
    return error(fmt::format("{} is of gmm, and this is tgmm",
                             transpose_rhs ? "transpose_rhs"
                             : local_rows  ? "local_rows"
                                           : "overwriting an existing result"));
  }
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  Settings settings{{"T", std::string(name(operand))},
                    {"U", std::string(name(out))},
                    {"m", text(m)},
                    {"k", text(k)},
                    {"n", text(n)},
                    {"groups", text(groups)},
                    {"group_offset", text(group_offset)},
                    {"local_groups", text(local_groups > 0 ? local_groups : groups - group_offset)},
                    {"existing", !existing                              ? "0"
                                 : *existing == ExistingOut::Accumulate ? "1"
                                                                        : "2"},
                    {"tm", text(tuned.tiling.m)},
                    {"tk", text(tuned.tiling.k)},
                    {"tn", text(tuned.tiling.n)},
                    {"buffers", text(tuned.buffers)}};
  if (is_gmm) {
    settings["transpose_rhs"] = transpose_rhs ? "1" : "0";
    settings["local_rows"] = local_rows ? "1" : "0";
    settings["align"] = text(tuned.align);
  }
  return make_kernel(is_gmm ? "gmm" : "tgmm", settings);
}

Expected<std::shared_ptr<cuda::Kernel>> device_grouped_matmul(const DeviceGroupedMatmul& call) {
  const cuda::Configuration tuned = call.configuration();
  const Expected<Program> program = call.program(tuned);
  if (!program) return program.diags();
  return call.given ? cuda::Kernel::make_by(*program, tuned.hints)
                    : cuda::Kernel::make(*program, tuned.hints);
}

}  // namespace tessera
