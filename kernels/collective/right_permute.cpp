#include "kernels/collective/right_permute.h"

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {

Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options) try {
  TRY(check_ring_rows("right_permute", x, rings, moved_types));
  Launch launch = launch_ring_rows("right_permute", x, rings, x[0].dim(0), options);
  launch.set("double_barrier", options.double_barrier ? 1 : 0);
  launch.results(x[0].dtype(), x[0].shape());
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Verdict check_permuted(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                       const CheckOptions& options) {
  return on_every_place(rings, [&](std::int64_t ring, std::int64_t place, std::size_t d) {
    const std::int64_t length = rings.dim(1);
    const std::size_t left = device_at(rings, ring, (place + length - 1) % length);
    return check_same(x[left], done.result(d), options);
  });
}

}  // namespace tessera
