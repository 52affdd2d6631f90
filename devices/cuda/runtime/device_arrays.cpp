#include "devices/cuda/runtime/device_arrays.h"

#include <algorithm>

#include "core/report/try.h"

namespace tessera::cuda {

DeviceArrays::~DeviceArrays() {
  for (const std::uint64_t address : all_) release(address);
}

Expected<void> DeviceArrays::add(std::uint64_t& address, std::int64_t bytes) {
  TRY(allocate(address, static_cast<std::size_t>(bytes)));
  all_.push_back(address);
  return {};
}

Expected<void> DeviceArrays::fill(std::uint64_t address, std::int64_t elements,
                                  const Tensor& pattern) {
  const std::int64_t size = size_of(pattern.dtype()), block = pattern.elements();
  for (std::int64_t at = 0; at < elements; at += block) {
    const std::int64_t count = std::min(block, elements - at);
    TRY(to_device(address + static_cast<std::uint64_t>(at * size), pattern.data(),
                  static_cast<std::size_t>(count * size)));
  }
  return {};
}

Expected<void> DeviceArrays::add_sizes(std::uint64_t& address,
                                       const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int32_t> small(sizes.begin(), sizes.end());
  const auto bytes = static_cast<std::int64_t>(small.size() * 4);
  TRY(add(address, bytes));
  return to_device(address, small.data(), static_cast<std::size_t>(bytes));
}

}  // namespace tessera::cuda
