#include "devices/cuda/lower/kernel_names.h"

#include <fmt/format.h>

#include "core/report/check.h"

namespace tessera::cuda {

std::string field_name(const Program& program, const Buffer& buffer) {
  return fmt::format("{}_{}", buffer.role == Role::scratch ? "s" : "in",
                     program.buffers.id_of(buffer).index);
}

std::string KernelNames::number(std::int64_t value) {
  if (value == 0 || value == 1) return std::to_string(value);
  numbers_.push_back(value);
  return fmt::format("p.c[{}]", numbers_.size() - 1);
}

std::string KernelNames::divisor(std::int64_t value) {
  return tile_sizes_.contains(value) ? std::to_string(value) : number(value);
}

std::string KernelNames::operand(const Buffer& buffer) {
  CHECK(buffer.role != Role::scratch);
  operands_.insert(program_->buffers.id_of(buffer));
  return "p." + field_name(*program_, buffer);
}

std::string KernelNames::array(const Buffer& buffer) const {
  CHECK(buffer.role == Role::scratch);
  return "p." + field_name(*program_, buffer);
}

std::string KernelNames::value(ValueId value) {
  return fmt::format("v{}",
                     values_.try_emplace(value, static_cast<int>(values_.size())).first->second);
}

}  // namespace tessera::cuda
