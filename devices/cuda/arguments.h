// A launch's operands, and the bytes of a kernel's parameter, in the order in which lower.cpp
// declares its fields.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/cuda/lower.h"

namespace tessera::cuda {

// Device addresses by the names of the program's operands and results.
using DeviceOperands = std::map<std::string, std::uint64_t, std::less<>>;

// What a launch cannot take: an operand without an address, or one that does not begin where the
// copy engine can (a multiple of 16 bytes).
std::optional<Diag> check_operands(const Program& program, const DeviceOperands& operands);

using EncodedMap = std::array<std::byte, 128>;

// Addresses on the device; operands in the order of LoweredKernel::pointers.
struct KernelAddresses {
  EncodedMap left, right, result_map;
  std::uint64_t result = 0;
  std::uint64_t arrays =
      0;  // array_elements of 8 bytes for each block; 0: they are in shared memory
  std::uint64_t error = 0;  // one number of 8 bytes
  std::uint64_t taken =
      0;  // two counters of 4 bytes, 0 before the first launch (templates/take.cuh)
  std::uint64_t tiles = 0;  // of the general kernel: tile_bytes for each block
  std::vector<std::uint64_t> operands;
};

std::vector<std::byte> kernel_arguments(const LoweredKernel& kernel,
                                        const KernelAddresses& addresses);

}  // namespace tessera::cuda
