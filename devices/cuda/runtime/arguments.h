// Checks of launch operands, and the encoding of kernel arguments.
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

// Fails with ErrorCode::invalid_value if an operand or result has no address, or if its address in
// hbm is not a multiple of 16 bytes, as the copy engine requires.
Expected<void> check_operands(const Program& program, const DeviceOperands& operands);

// Fails with ErrorCode::invalid_value for a pitch that is shorter than a row or not a multiple of
// 16 bytes, and for a name that is no operand or result. Fails also for operands without a tensor
// map: all operands of the general kernel, and operands that a fast kernel reads element by
// element.
Expected<void> check_pitches(const Program& program, const LoweredKernel& kernel,
                             const Pitches& pitches);
// Returns the byte strides of dimensions 1 and up, one value fewer than the plan has dimensions,
// rounded down to multiples of 16, at least 16. pitch: elements from one row to the next.
std::vector<std::uint64_t> strides_of(const MapPlan& plan, std::int64_t pitch);
// Returns the pitch of a plan's buffer, in elements; the row length if `pitches` has no entry for
// the buffer.
std::int64_t pitch_of(const Program& program, const MapPlan& plan, const Pitches& pitches);

using EncodedMap = std::array<std::byte, 128>;

// Values for the FromLaunch fields, and addresses of the operands. All addresses are on the device.
struct LaunchValues {
  EncodedMap left, right, result_map;
  std::int64_t result_pitch = 0;  // elements
  std::uint64_t arrays = 0;       // array_elements of 8 bytes per CTA; 0: in shared memory
  std::uint64_t error = 0;        // error word of 8 bytes
  std::uint64_t taken = 0;        // two counters of 4 bytes, 0 before a launch (templates/take.cuh)
  std::uint64_t tiles = 0;        // tile_bytes per CTA; general kernel only
  Table<BufferId, std::uint64_t> operands;  // 0 for scratch
};

// Encodes the arguments with the layout of the struct that args_struct() prints for the same
// fields. Tensor maps must be the first fields. values: must have all operands of the fields.
std::vector<std::byte> kernel_arguments(const std::vector<ArgField>& fields,
                                        const LaunchValues& values);

}  // namespace tessera::cuda
