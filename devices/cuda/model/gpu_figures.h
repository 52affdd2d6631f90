// What the model takes of a GPU, as data for each.
#pragma once
#include <string_view>

#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

struct GpuFigures {
  std::string_view name = "H200";
  int multiprocessors = 132;
  double clock = 1.45e9;             // Hz, held under full load
  double products_a_clock = 2048;    // multiply-adds of a multiprocessor, two-byte operands
  double l2_bytes_a_clock = 64;      // into one multiprocessor's shared memory, all at work
  double copy_interference = 0.25;   // of the copies' time: what products lose to them
  double memory_interference = 0.1;  // of the shorter of memory's and multiprocessors' time
  double store_bytes_a_clock = 48;   // of an epilogue
  double memory_bytes_a_second = 4.3e12;
  double launch_seconds = 5e-6;  // until the first product
};

// The first line whose name the device's has, with the device's own count of multiprocessors; H200
// for a device that no line names, and where there is none.
GpuFigures gpu_figures(const DeviceFacts& device);

}  // namespace tessera::cuda
