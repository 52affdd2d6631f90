// Operands in GPU memory for measurements, without copies on the host.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

// Owner of arrays in device memory; frees them in its destructor.
class DeviceArrays {
 public:
  DeviceArrays() = default;
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Allocates an array in the current context. Output: its address.
  Expected<void> add(std::uint64_t& address, std::int64_t bytes);
  // Fills `elements` elements of the pattern's type with repetitions of the pattern, which must
  // have elements.
  static Expected<void> fill(std::uint64_t address, std::int64_t elements, const Tensor& pattern);
  // Allocates an array and copies group sizes to it as i32, the type that the kernels read. Output:
  // its address.
  Expected<void> add_sizes(std::uint64_t& address, const std::vector<std::int64_t>& sizes);

 private:
  std::vector<std::uint64_t> all_;
};

}  // namespace tessera::cuda
