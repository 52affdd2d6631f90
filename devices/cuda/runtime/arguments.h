// A launch's operands, and the bytes of a kernel's parameter, in the order in which lower.cpp
// declares its fields.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

using DeviceOperands = DeviceAddresses;

// What a launch cannot take: an operand without an address, or one that does not begin where the
// copy engine can (a multiple of 16 bytes).
std::optional<Diag> check_operands(const Program& program, const DeviceOperands& operands);

// The same for pitches: of what the kernel reads by elements, of the general kernel, shorter than a
// row, or of no whole 16 bytes.
std::optional<Diag> check_pitches(const Program& program, const LoweredKernel& kernel,
                                  const Pitches& pitches);
// Bytes from a row to the next, and so on outwards: a dimension less than the plan has.
std::vector<std::uint64_t> strides_of(const MapPlan& plan, std::int64_t pitch);
// That of a buffer; its rows' length where none is given.
std::int64_t pitch_of(const Program& program, const MapPlan& plan, const Pitches& pitches);

using EncodedMap = std::array<std::byte, 128>;

// Addresses on the device; operands in the order of LoweredKernel::pointers.
struct KernelAddresses {
  EncodedMap left, right, result_map;
  std::uint64_t result = 0;
  std::int64_t result_pitch = 0;  // elements
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
