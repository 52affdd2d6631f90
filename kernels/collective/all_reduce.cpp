#include "kernels/collective/all_reduce.h"

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {

Expected<Launch> launch_all_reduce(std::span<const Tensor> x, const Tensor& rings,
                                   const ReduceOptions& options) try {
  TRY(check_ring_rows("ring_all_reduce", x, rings, added_types));
  Launch launch = launch_ring_rows("ring_all_reduce", x, rings, x[0].dim(0), options);
  TRY(set_reduction(launch, options));
  launch.results(x[0].dtype(), x[0].shape());
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Verdict check_all_reduced(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                          const CheckOptions& options) {
  return on_every_place(rings, [&](std::int64_t ring, std::int64_t, std::size_t d) {
    std::vector<const Tensor*> parts;
    for (std::int64_t place = 0; place < rings.dim(1); ++place)
      parts.push_back(&x[device_at(rings, ring, place)]);
    return check_sum(parts, done.result(d), options);
  });
}

}  // namespace tessera
