#include "devices/cuda/runtime/operand_memory.h"

#include <fmt/format.h>

#include "core/report/try.h"

namespace tessera::cuda {
namespace {

// Tensor bound to an operand. Fails if there is none, or if its type or size differ.
Expected<Tensor*> bound(const Buffer& buffer, const DeviceBinding& binding) {
  const auto found = binding.find(buffer.name);
  if (found == binding.end() || found->second == nullptr) {
    return error(fmt::format("operand `{}` is not bound", buffer.name));
  }
  const Tensor& tensor = *found->second;
  if (tensor.dtype() != buffer.dtype || tensor.elements() != elements(buffer.shape)) {
    return error(fmt::format("operand `{}` is {}{}, found {}{}", buffer.name, name(buffer.dtype),
                             to_string(buffer.shape), name(tensor.dtype()),
                             to_string(tensor.shape())));
  }
  return found->second;
}

struct OwnEvent {
  Event event;
  OwnEvent() = default;
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent() {
    if (event.handle != nullptr) destroy_event(event);
  }
};

}  // namespace

OperandMemory::~OperandMemory() {
  const ContextScope here(context_);
  for (const auto& [name, address] : addresses_) release(address);
}

Expected<void> OperandMemory::add(const Buffer& buffer, const Tensor& tensor) {
  std::uint64_t address = 0;
  const auto bytes = static_cast<std::size_t>(tensor.bytes());
  TRY(allocate(address, bytes));
  addresses_[buffer.name] = address;
  if (buffer.role == Role::out) return set_bytes(address, 0xFF, bytes, nullptr);
  return to_device(address, tensor.data(), bytes);
}

Expected<void> OperandMemory::add_all(const Program& program, const DeviceBinding& binding) {
  const ContextScope here(context_);
  TRY(here.entered());
  for (const Buffer& buffer : program.buffers)
    if (buffer.role != Role::scratch) TRY(add(buffer, *TRY(bound(buffer, binding))));
  // Synchronised, so that all streams can read the data that the default stream wrote.
  return synchronise(nullptr);
}

Expected<void> OperandMemory::take_results(const Program& program,
                                           const DeviceBinding& binding) const {
  const ContextScope here(context_);
  TRY(here.entered());
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::out) continue;
    Tensor& tensor = *TRY(bound(buffer, binding));
    TRY(to_host(tensor.data(), addresses_.at(buffer.name),
                static_cast<std::size_t>(tensor.bytes())));
  }
  return {};
}

Expected<void> timed(const std::function<Expected<void>()>& enqueue, double& seconds) {
  // Events of this call only, as other threads may measure concurrently.
  OwnEvent first, last;
  TRY(create_event(first.event));
  TRY(create_event(last.event));
  Event &begin = first.event, &end = last.event;
  TRY(record(begin, nullptr));
  TRY(enqueue());
  TRY(record(end, nullptr));
  TRY(synchronise(nullptr));
  return elapsed_seconds(seconds, begin, end);
}

}  // namespace tessera::cuda
