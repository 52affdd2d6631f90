#include "kernels/launch/device_arrays.h"

#include <algorithm>

#include "kernels/inputs/fill.h"

namespace tessera {

using cuda::Problem;

DeviceArrays::~DeviceArrays() {
  for (const std::uint64_t address : all_) cuda::release(address);
}

Problem DeviceArrays::add(std::uint64_t& address, std::int64_t bytes) {
  if (auto problem = cuda::allocate(address, static_cast<std::size_t>(bytes))) return problem;
  all_.push_back(address);
  return std::nullopt;
}

Problem DeviceArrays::fill_normal(std::uint64_t address, DType dtype, std::int64_t elements,
                                  std::uint64_t seed) {
  constexpr std::int64_t block = 4'000'037;  // prime
  const std::int64_t size = size_of(dtype);
  Tensor numbers(dtype, {std::min(block, elements)});
  fill(numbers, Fill::normal, FillRole::lhs, 1, seed);
  for (std::int64_t at = 0; at < elements; at += block) {
    const std::int64_t count = std::min(block, elements - at);
    if (auto problem = cuda::to_device(address + static_cast<std::uint64_t>(at * size),
                                       numbers.data(), static_cast<std::size_t>(count * size)))
      return problem;
  }
  return std::nullopt;
}

Problem DeviceArrays::add_sizes(std::uint64_t& address, const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int32_t> small(sizes.begin(), sizes.end());
  const auto bytes = static_cast<std::int64_t>(small.size() * 4);
  if (auto problem = add(address, bytes)) return problem;
  return cuda::to_device(address, small.data(), static_cast<std::size_t>(bytes));
}

}  // namespace tessera
