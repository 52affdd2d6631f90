#include "kernels/collective/ring_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/report/try.h"
#include "kernels/collective/rings.h"

namespace tessera {

Expected<void> check_matrices(std::string_view what, std::span<const Tensor> operands) {
  for (std::size_t d = 0; d < operands.size(); ++d) {
    const Tensor& tensor = operands[d];
    if (tensor.rank() != 2)
      return error(fmt::format("{} of device {} has shape {}, expected two dimensions", what, d,
                               to_string(tensor.shape())));
  }
  return check_alike(what, operands);
}

Expected<void> check_ring_rows(std::string_view kernel, std::span<const Tensor> x,
                               const Tensor& rings, std::initializer_list<DType> types) {
  TRY(check_rings(rings, x.size()));
  TRY(check_matrices("x", x));
  if (std::find(types.begin(), types.end(), x[0].dtype()) != types.end()) return {};
  std::string known;
  for (const DType type : types)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(type));
  return error(ErrorCode::unsupported,
               fmt::format("{} takes {}, not {}", kernel, known, name(x[0].dtype())));
}

Launch launch_ring_rows(std::string_view kernel, std::span<const Tensor> x, const Tensor& rings,
                        std::int64_t rows, const CollectiveOptions& options) {
  Launch launch(kernel, x.size());
  set_rings(launch, rings, options);
  launch.set("T", x[0].dtype());
  launch.set("rows", rows);
  launch.set("cols", x[0].dim(1));
  for (std::size_t d = 0; d < x.size(); ++d) launch.input(d, "x", x[d]);
  return launch;
}

Expected<void> set_reduction(Launch& launch, const ReduceOptions& options) {
  if (options.bm < 1 || options.bn < 1)
    return error(fmt::format("bm and bn are at least 1, got {} and {}", options.bm, options.bn));
  launch.set("credits", options.credits ? 1 : 0);
  launch.set("tm", options.bm);
  launch.set("tn", options.bn);
  return {};
}

}  // namespace tessera
