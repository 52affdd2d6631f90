// A launch's operands, and the bytes of a kernel's parameter.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

using DeviceOperands = DeviceAddresses;

// Refuses what a launch cannot take: an operand without an address, or one that does not begin
// where the copy engine can (a multiple of 16 bytes).
Expected<void> check_operands(const Program& program, const DeviceOperands& operands);

// Refuses pitches that a launch cannot take: of an operand that the kernel reads element by
// element, any of the general kernel, one that is shorter than a row or no multiple of 16 bytes.
Expected<void> check_pitches(const Program& program, const LoweredKernel& kernel,
                             const Pitches& pitches);
// Bytes from a row to the next, and so on outwards: a dimension less than the plan has.
std::vector<std::uint64_t> strides_of(const MapPlan& plan, std::int64_t pitch);
// That of a buffer; its rows' length where none is given.
std::int64_t pitch_of(const Program& program, const MapPlan& plan, const Pitches& pitches);

using EncodedMap = std::array<std::byte, 128>;

// What FromLaunch names, and the operands; addresses are on the device.
struct LaunchValues {
  EncodedMap left, right, result_map;
  std::int64_t result_pitch = 0;  // elements
  std::uint64_t arrays = 0;  // array_elements of 8 bytes for each CTA; 0: they are in shared memory
  std::uint64_t error = 0;   // one number of 8 bytes
  std::uint64_t taken = 0;   // two counters of 4 bytes, 0 before a launch (templates/take.cuh)
  std::uint64_t tiles = 0;   // of the general kernel: tile_bytes for each CTA
  Table<BufferId, std::uint64_t> operands;  // 0 for scratch
};

// The bytes of the struct that args_struct() prints for the same fields.
std::vector<std::byte> kernel_arguments(const std::vector<ArgField>& fields,
                                        const LaunchValues& values);

}  // namespace tessera::cuda
