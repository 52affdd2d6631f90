// Allocated memory and semaphores of a core.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// Allocated bytes and semaphores of one core, now and at most.
struct Usage {
  std::int64_t vmem = 0, smem = 0, semaphores = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0, peak_semaphores = 0;

  // Add an amount and raise the peaks. Negative amounts release. hbm is not counted.
  void take(Space space, std::int64_t bytes);
  void take_semaphores(std::int64_t cells);
  // Sets the current usage of a loop worker to the usage of its core. Its peaks can only grow.
  void begin(const Usage& now);
  // True if the current usages are equal; peaks may differ.
  bool takes_as_much_as(const Usage& other) const;
  void forget_peaks();                  // sets the peaks to the current usage
  void note_peaks(const Usage& other);  // raises the peaks to the peaks of `other`
};

}  // namespace tessera
