// Parameters of graph nodes with the layout of the driver's header (cuda.h;
// tests/unit/cuda_prototypes_test.cpp compares both).
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
  void* kernel = nullptr;   // unused if `function` is set
  void* context = nullptr;  // unused if `function` is set
};

inline constexpr int unified_memory = 4;  // CU_MEMORYTYPE_UNIFIED: address on any device

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
