#include "devices/cuda/runtime/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/report/check.h"

namespace tessera::cuda {
namespace {

constexpr std::size_t map_alignment = 64;  // bytes; of structs with a CUtensorMap

class Packer {
 public:
  explicit Packer(const LaunchValues& values) : values_(values) {}

  void add(FromLaunch which) {
    switch (which) {
      case FromLaunch::left_map:
        return add(values_.left);
      case FromLaunch::right_map:
        return add(values_.right);
      case FromLaunch::result_map:
        return add(values_.result_map);
      case FromLaunch::result_pitch:
        return add(values_.result_pitch);
      case FromLaunch::arrays:
        return add(values_.arrays);
      case FromLaunch::error:
        return add(values_.error);
      case FromLaunch::taken:
        return add(values_.taken);
      case FromLaunch::tiles:
        return add(values_.tiles);
    }
  }
  void add(OperandAddress operand) {
    CHECK(values_.operands.has(operand.buffer));
    add(values_.operands[operand.buffer]);
  }
  void add(std::int64_t number) { append(&number, sizeof number); }
  void add(std::uint64_t address) { append(&address, sizeof address); }
  void add(const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers) add(number);
  }
  void add(const EncodedMap& map) {
    CHECK(bytes_.size() % map_alignment == 0);  // maps come first, so no field needs padding
    append(map.data(), map.size());
  }

  // Returns the bytes, padded at the end as the compiler pads a struct of this alignment.
  std::vector<std::byte> bytes() {
    bytes_.resize((bytes_.size() + map_alignment - 1) / map_alignment * map_alignment);
    return std::move(bytes_);
  }

 private:
  void append(const void* from, std::size_t size) {
    const auto at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, from, size);
  }

  const LaunchValues& values_;
  std::vector<std::byte> bytes_;
};

}  // namespace

Expected<void> check_operands(const Program& program, const DeviceOperands& operands) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role == Role::scratch) continue;
    const auto found = operands.find(buffer.name);
    if (found == operands.end()) {
      return error(
          fmt::format("the launch of {} has no address for `{}`", program.name, buffer.name));
    }
    if (buffer.space == Space::hbm && found->second % 16 != 0) {
      return error(fmt::format(
          "`{}` of the launch of {} begins at {:#x}, which is not a multiple of 16 bytes",
          buffer.name, program.name, found->second));
    }
  }
  return {};
}

Expected<void> check_pitches(const Program& program, const LoweredKernel& kernel,
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
      return error(fmt::format("the launch of {} has a pitch for `{}`, which is not an operand",
                               program.name, operand));
    const MapPlan* plan = nullptr;
    const auto is_operand = [&](BufferId b) { return program.buffers[b].name == operand; };
    if (const TensorCorePlan* by_boxes = kernel.tensor_core()) {
      for (const MapPlan* map : {&by_boxes->left, &by_boxes->right, &by_boxes->result})
        if (is_operand(map->buffer)) plan = map;
      if (std::any_of(by_boxes->by_element.begin(), by_boxes->by_element.end(), is_operand))
        plan = nullptr;
    }
    if (plan == nullptr)
      return refuse(
          "are adjacent: a pitch is only for operands that the fast kernels copy by boxes");
    if (pitch < plan->extent[0])
      return refuse(fmt::format("are {} elements long, and {} apart", plan->extent[0], pitch));
    if (pitch * plan->element_bytes % 16 != 0)
      return refuse(fmt::format("are {} bytes apart, which is not a multiple of 16",
                                pitch * plan->element_bytes));
  }
  return {};
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
  const auto found = pitches.find(program.buffers[plan.buffer].name);
  return found == pitches.end() ? plan.extent[0] : found->second;
}

std::vector<std::byte> kernel_arguments(const std::vector<ArgField>& fields,
                                        const LaunchValues& values) {
  Packer packer(values);
  for (const ArgField& field : fields)
    std::visit([&](const auto& source) { packer.add(source); }, field.source);
  return packer.bytes();
}

}  // namespace tessera::cuda
