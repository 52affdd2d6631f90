#include "interp/machine/usage.h"

#include <algorithm>

namespace tessera {

void Usage::take(Space space, std::int64_t bytes) {
  if (space == Space::hbm) return;
  (space == Space::smem ? smem : vmem) += bytes;
  peak_vmem = std::max(peak_vmem, vmem);
  peak_smem = std::max(peak_smem, smem);
}

void Usage::begin(const Usage& now) {
  take(Space::vmem, now.vmem - vmem);
  take(Space::smem, now.smem - smem);
  take_semaphores(now.semaphores - semaphores);
}

void Usage::take_semaphores(std::int64_t cells) {
  semaphores += cells;
  peak_semaphores = std::max(peak_semaphores, semaphores);
}

}  // namespace tessera
