#include "kernels/collective/all_gather.h"

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {

Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options) try {
  const char* const kernel = options.halves ? "ring_all_gather_halves" : "ring_all_gather";
  TRY(check_ring_rows(kernel, x, rings, moved_types));
  Launch launch = launch_ring_rows(kernel, x, rings, x[0].dim(0), options);
  launch.results(x[0].dtype(), {x[0].dim(0) * rings.dim(1), x[0].dim(1)});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Verdict check_all_gathered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                           const CheckOptions& options) {
  return on_every_place(rings, [&](std::int64_t ring, std::int64_t, std::size_t d) {
    const Tensor whole =
        joined(rings, ring, 0, [&](std::size_t at) -> const Tensor& { return x[at]; });
    return check_same(whole, done.result(d), options);
  });
}

}  // namespace tessera
