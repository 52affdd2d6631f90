#include "kernels/device_grouped_matmul.h"

#include <string>

#include "kernels/kernels.h"

namespace tessera {

cuda::GroupedShape DeviceGroupedMatmul::shape() const {
  cuda::GroupedShape shape = cuda::expected_shape(kind == Kind::tgmm, m, k, n, groups);
  if (!expected_sizes.empty()) shape.sizes = expected_sizes;
  shape.out_bytes = static_cast<int>(size_of(out));
  return shape;
}

cuda::Configuration DeviceGroupedMatmul::configuration() const {
  if (given) return *given;
  return cuda::estimated_best(shape(), cuda::gpu_figures(cuda::device_facts().name));
}

Expected<std::shared_ptr<cuda::Kernel>> device_grouped_matmul(const DeviceGroupedMatmul& call) {
  const cuda::Configuration tuned = call.configuration();
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  Settings settings{{"T", std::string(name(call.operand))},
                    {"U", std::string(name(call.out))},
                    {"m", text(call.m)},
                    {"k", text(call.k)},
                    {"n", text(call.n)},
                    {"groups", text(call.groups)},
                    {"existing", text(call.existing ? 1 : 0)},
                    {"tm", text(tuned.tiling.m)},
                    {"tk", text(tuned.tiling.k)},
                    {"tn", text(tuned.tiling.n)},
                    {"buffers", text(tuned.buffers)}};
  const bool is_gmm = call.kind == DeviceGroupedMatmul::Kind::gmm;
  if (is_gmm) {
    settings["transpose_rhs"] = text(call.transpose_rhs ? 1 : 0);
    settings["align"] = text(tuned.align);
  }
  const Expected<Program> program = make_kernel(is_gmm ? "gmm" : "tgmm", settings);
  if (!program) return program.diags();
  return cuda::Kernel::make(*program, tuned.hints);
}

}  // namespace tessera
