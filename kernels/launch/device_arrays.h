// Operands made on a GPU, for measuring: nobody holds them on the host.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/dtype.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera {

// Memory of the device; freed with it.
class DeviceArrays {
 public:
  DeviceArrays() = default;
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  cuda::Problem add(std::uint64_t& address, std::int64_t bytes);
  // Normal numbers; a block of them again and again, at another place in every row of the operand.
  static cuda::Problem fill_normal(std::uint64_t address, DType dtype, std::int64_t elements,
                                   std::uint64_t seed);
  // Group sizes as the kernels take them, in new memory.
  cuda::Problem add_sizes(std::uint64_t& address, const std::vector<std::int64_t>& sizes);

 private:
  std::vector<std::uint64_t> all_;
};

}  // namespace tessera
