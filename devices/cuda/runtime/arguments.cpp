#include "devices/cuda/runtime/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera::cuda {

std::optional<Diag> check_operands(const Program& program, const DeviceOperands& operands) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role == Role::scratch) continue;
    const auto found = operands.find(buffer.name);
    if (found == operands.end()) {
      return error(
          fmt::format("the launch of {} has no address for `{}`", program.name, buffer.name));
    }
    if (buffer.space == Space::hbm && found->second % 16 != 0) {
      return error(
          fmt::format("`{}` of the launch of {} begins at {:#x}, which is no multiple of "
                      "16 bytes",
                      buffer.name, program.name, found->second));
    }
  }
  return std::nullopt;
}

std::optional<Diag> check_pitches(const Program& program, const LoweredKernel& kernel,
                                  const Pitches& pitches) {
  for (const auto& given : pitches) {
    const std::string& operand = given.first;
    const std::int64_t pitch = given.second;
    const auto refuse = [&](const std::string& reason) {
      return error(
          fmt::format("the rows of `{}` of the launch of {} {}", operand, program.name, reason));
    };
    if (std::none_of(program.buffers.begin(), program.buffers.end(),
                     [&](const Buffer& b) { return b.role != Role::scratch && b.name == operand; }))
      return error(fmt::format("the launch of {} has a pitch for `{}`, which is no operand",
                               program.name, operand));
    const MapPlan* plan = nullptr;
    for (const MapPlan* map : {&kernel.left, &kernel.right, &kernel.result}) {
      if (program.buffers[static_cast<std::size_t>(map->buffer)].name == operand) plan = map;
    }
    if (plan == nullptr || kernel.is_general ||
        std::find(kernel.by_element.begin(), kernel.by_element.end(), plan->buffer) !=
            kernel.by_element.end())
      return refuse("follow each other: a pitch is for what the fast kernels copy by boxes");
    if (pitch < plan->extent[0])
      return refuse(fmt::format("are {} elements long, and {} apart", plan->extent[0], pitch));
    if (pitch * plan->element_bytes % 16 != 0)
      return refuse(fmt::format("are {} bytes apart, which is no multiple of 16",
                                pitch * plan->element_bytes));
  }
  return std::nullopt;
}

std::vector<std::uint64_t> strides_of(const MapPlan& plan, std::int64_t pitch) {
  std::vector<std::uint64_t> strides;
  auto bytes = static_cast<std::uint64_t>(plan.element_bytes) *
               static_cast<std::uint64_t>(std::max<std::int64_t>(pitch, 1));
  for (std::size_t d = 1; d < plan.extent.size(); ++d) {
    strides.push_back(std::max<std::uint64_t>(bytes, 16) / 16 * 16);
    bytes *= static_cast<std::uint64_t>(std::max<std::int64_t>(plan.extent[d], 1));
  }
  return strides;
}

std::int64_t pitch_of(const Program& program, const MapPlan& plan, const Pitches& pitches) {
  const auto found = pitches.find(program.buffers[static_cast<std::size_t>(plan.buffer)].name);
  return found == pitches.end() ? plan.extent[0] : found->second;
}

std::vector<std::byte> kernel_arguments(const LoweredKernel& kernel,
                                        const KernelAddresses& addresses) {
  std::vector<std::byte> bytes;
  const auto append = [&](const void* from, std::size_t size) {
    const auto at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, from, size);
  };
  const auto number = [&](std::uint64_t value) { append(&value, sizeof value); };
  if (kernel.is_general) {
    number(addresses.tiles);
    number(static_cast<std::uint64_t>(kernel.tile_bytes));
  } else {
    for (const EncodedMap* map : {&addresses.left, &addresses.right, &addresses.result_map})
      append(map->data(), map->size());
    number(addresses.result);
    number(static_cast<std::uint64_t>(kernel.result.extent[1]));
    number(static_cast<std::uint64_t>(kernel.result.extent[0]));
    number(static_cast<std::uint64_t>(addresses.result_pitch));
    number(static_cast<std::uint64_t>(kernel.contraction));
  }
  number(addresses.arrays);
  number(static_cast<std::uint64_t>(kernel.array_elements));
  number(addresses.error);
  if (!kernel.is_general) number(addresses.taken);
  for (const std::uint64_t operand : addresses.operands) number(operand);
  for (const std::int64_t value : kernel.numbers) number(static_cast<std::uint64_t>(value));
  bytes.resize((bytes.size() + 63) / 64 * 64);  // the struct's alignment is that of its tensor maps
  return bytes;
}

}  // namespace tessera::cuda
