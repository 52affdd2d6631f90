// Operands made on a GPU, for measuring: nobody holds them on the host.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

// Memory of the device; freed with it.
class DeviceArrays {
 public:
  DeviceArrays() = default;
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  Expected<void> add(std::uint64_t& address, std::int64_t bytes);
  // So many elements: those of the pattern, again and again.
  static Expected<void> fill(std::uint64_t address, std::int64_t elements, const Tensor& pattern);
  // Group sizes as the kernels take them, in new memory.
  Expected<void> add_sizes(std::uint64_t& address, const std::vector<std::int64_t>& sizes);

 private:
  std::vector<std::uint64_t> all_;
};

}  // namespace tessera::cuda
