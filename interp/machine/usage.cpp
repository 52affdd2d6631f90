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

bool Usage::takes_as_much_as(const Usage& other) const {
  return vmem == other.vmem && smem == other.smem && semaphores == other.semaphores;
}

void Usage::forget_peaks() {
  peak_vmem = vmem;
  peak_smem = smem;
  peak_semaphores = semaphores;
}

void Usage::note_peaks(const Usage& other) {
  peak_vmem = std::max(peak_vmem, other.peak_vmem);
  peak_smem = std::max(peak_smem, other.peak_smem);
  peak_semaphores = std::max(peak_semaphores, other.peak_semaphores);
}

void Usage::take_semaphores(std::int64_t cells) {
  semaphores += cells;
  peak_semaphores = std::max(peak_semaphores, semaphores);
}

}  // namespace tessera
