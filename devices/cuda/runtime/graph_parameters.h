// What the driver is told of a graph's nodes, laid out as its header has it (cuda.h;
// tests/unit/cuda_prototypes_test.cpp compares the two).
#pragma once
#include <cstddef>
#include <cstdint>

namespace tessera::cuda {

struct KernelNodeParameters {  // CUDA_KERNEL_NODE_PARAMS_v2
  void* function = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;   // not used where there is a function, ...
  void* context = nullptr;  // ... nor is this
};

inline constexpr int unified_memory = 4;  // CU_MEMORYTYPE_UNIFIED: the address says whose

struct CopySide {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  int memory = 0;
  const void* host = nullptr;
  std::uint64_t device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};

struct CopyParameters {  // CUDA_MEMCPY3D_v2
  CopySide from, to;
  std::size_t width = 0, height = 0, depth = 0;
};

struct UpdateResult {  // CUgraphExecUpdateResultInfo
  int result = 0;
  void* node = nullptr;
  void* before = nullptr;
};

}  // namespace tessera::cuda
