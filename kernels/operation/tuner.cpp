#include "kernels/operation/tuner.h"

#include <algorithm>
#include <chrono>

namespace tessera {

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

Expected<double> Tuner::mean_seconds(const std::function<Diags()>& run) const {
  for (int i = 0; i < warmup; ++i) {
    if (Diags diags = run(); !diags.empty()) return diags;
  }
  const int count = std::max(iters, 1);
  const double begin = clock();
  for (int i = 0; i < count; ++i) {
    if (Diags diags = run(); !diags.empty()) return diags;
  }
  return (clock() - begin) / count;
}

}  // namespace tessera
