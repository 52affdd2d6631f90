// What the model takes of a GPU, as data for each. Those of the H200 are fitted to the times of 384
// launches, 19 problems in every configuration (tests/bench/results/cuda.md).
#pragma once
#include <string_view>

#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

struct GpuFigures {
  std::string_view name = "H200";
  int multiprocessors = 132;
  double clock = 1.5e9;               // Hz, held under full load
  double products_a_clock = 2048;     // multiply-adds of a multiprocessor, two-byte operands
  double l2_bytes_a_clock = 45;       // into one multiprocessor's shared memory, all at work
  double copy_interference = 0.11;    // of the copies' time: what products lose to them
  double pair_share = 0.82;           // what a block of a pair pays for an operand that they share
  double pair_loss = 0.065;           // of a step: what blocks of a pair lose by waiting
  double memory_interference = 0.38;  // of the shorter of memory's and multiprocessors' time
  double store_bytes_a_clock = 38;    // of an epilogue
  double memory_bytes_a_second = 4.7e12;
  double launch_seconds = 5e-6;  // until the first product
};

// The first line whose name the device's has, with the device's own count of multiprocessors; H200
// for a device that no line names, and where there is none.
GpuFigures gpu_figures(const DeviceFacts& device);

}  // namespace tessera::cuda
