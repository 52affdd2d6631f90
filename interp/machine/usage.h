// What exists of a core's memory and semaphores.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// Bytes and semaphores of one core that exist now, and the most there ever were.
struct Usage {
  std::int64_t vmem = 0, smem = 0, semaphores = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0, peak_semaphores = 0;

  // Negative amounts give back; hbm is not counted.
  void take(Space space, std::int64_t bytes);
  void take_semaphores(std::int64_t cells);
  // What a loop worker begins with, beside the most it ever had.
  void begin(const Usage& now);
  bool takes_as_much_as(const Usage& other) const;
  void forget_peaks();  // from here on they are those of now
  void note_peaks(const Usage& other);
};

}  // namespace tessera
