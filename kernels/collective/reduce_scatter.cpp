#include "kernels/collective/reduce_scatter.h"

#include <fmt/format.h>

#include <vector>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {

Expected<Launch> launch_reduce_scatter(std::span<const Tensor> x, const Tensor& rings,
                                       const ReduceOptions& options) try {
  TRY(check_ring_rows("ring_reduce_scatter", x, rings, added_types));
  const std::int64_t rows = x[0].dim(0), length = rings.dim(1);
  if (rows % length != 0) {
    return error(fmt::format(
        "the {} rows of x cannot be divided into a block for each of {} places", rows, length));
  }
  Launch launch = launch_ring_rows("ring_reduce_scatter", x, rings, rows / length, options);
  TRY(set_reduction(launch, options));
  launch.results(x[0].dtype(), {rows / length, x[0].dim(1)});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Verdict check_reduce_scattered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                               const CheckOptions& options) {
  std::vector<Verdict> verdicts;
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    std::vector<const Tensor*> parts;
    for (std::int64_t place = 0; place < rings.dim(1); ++place)
      parts.push_back(&x[device_at(rings, ring, place)]);
    const Tensor whole =
        joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return done.result(d); });
    verdicts.push_back(check_sum(parts, whole, options));
  }
  return together_on_rings(verdicts, rings, done);
}

}  // namespace tessera
