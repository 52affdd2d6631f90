// Parameters of the model for each GPU. The values for the H200 are fitted to the times of 384
// launches: 19 problems in all configurations (tests/bench/results/cuda.md).
#pragma once
#include <string_view>

#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

struct GpuFigures {
  std::string_view name = "H200";
  int multiprocessors = 132;
  double clock = 1.5e9;               // Hz, under full load
  double products_a_clock = 2048;     // multiply-adds per multiprocessor, two-byte operands
  double l2_bytes_a_clock = 45;       // per multiprocessor into shared memory, under full load
  double copy_interference = 0.11;    // loss of products, as a fraction of the copy time
  double pair_share = 0.82;           // relative cost of a shared operand for one CTA of a pair
  double pair_loss = 0.065;           // loss by waiting in pairs, as a fraction of a step
  double memory_interference = 0.38;  // fraction of the shorter of memory and compute time
  double store_bytes_a_clock = 38;    // in an epilogue
  double memory_bytes_a_second = 4.7e12;
  double launch_seconds = 5e-6;  // time to the first product
};

// Returns the first entry whose name is a part of the device's name; H200 if there is no device or
// no such entry. multiprocessors is the device's actual number.
GpuFigures gpu_figures(const DeviceFacts& device);

}  // namespace tessera::cuda
