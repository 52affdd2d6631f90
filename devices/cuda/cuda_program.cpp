#include "devices/cuda/cuda_program.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera::cuda {
namespace {

// Memory of the device for the length of one run.
class DeviceMemory {
 public:
  ~DeviceMemory() {
    for (const auto& [name, address] : operands_) release(address);
  }
  // Inputs are copied; results are filled with a pattern that no kernel computes, so that what is
  // not written is seen.
  Expected<void> add(const Buffer& buffer, const Tensor& tensor) {
    std::uint64_t address = 0;
    const auto bytes = static_cast<std::size_t>(tensor.bytes());
    TRY(allocate(address, bytes));
    operands_[buffer.name] = address;
    if (buffer.role == Role::out) return set_bytes(address, 0xFF, bytes, nullptr);
    return to_device(address, tensor.data(), bytes);
  }
  const DeviceOperands& operands() const { return operands_; }

 private:
  DeviceOperands operands_;
};

// The tensor bound to an operand, checked.
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

Expected<void> timed_run(Kernel& kernel, const DeviceOperands& operands, double& seconds) {
  // Of this run alone: other threads time theirs at the same moment.
  OwnEvent first, last;
  TRY(create_event(first.event));
  TRY(create_event(last.event));
  Event &begin = first.event, &end = last.event;
  TRY(record(begin, nullptr));
  TRY(kernel.launch(operands, nullptr));
  TRY(record(end, nullptr));
  TRY(synchronise(nullptr));
  return elapsed_seconds(seconds, begin, end);
}

class CudaProgram final : public Executable {
 public:
  CudaProgram(const Program& program, std::shared_ptr<Kernel> kernel)
      : program_(program), kernel_(std::move(kernel)) {}

  std::vector<std::string> notes() const override {
    const std::string& note = kernel_->plan().note;
    return note.empty() ? std::vector<std::string>() : std::vector{note};
  }

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions&) override try {
    if (bindings.size() != 1) {
      return error(ErrorCode::unsupported,
                   fmt::format("{} devices; the CUDA kernels run on one", bindings.size()));
    }
    const ContextScope own(kernel_->context());
    TRY(own.entered());
    DeviceMemory memory;
    std::vector<std::pair<std::string, Tensor*>> results;
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor* const tensor = TRY(bound(buffer, bindings[0]));
      TRY(memory.add(buffer, *tensor));
      if (buffer.role == Role::out) results.emplace_back(buffer.name, tensor);
    }
    DeviceReport report;
    report.sum_error = sum_error();
    report.warnings = kernel_->compiler_notes();
    TRY(timed_run(*kernel_, memory.operands(), report.wall_seconds));
    std::optional<Finding> found = TRY(kernel_->finding());
    if (found) {
      report.findings.push_back(*std::move(found));
      return report;
    }
    for (const auto& [operand, tensor] : results) {
      const auto bytes = static_cast<std::size_t>(tensor->bytes());
      TRY(to_host(tensor->data(), memory.operands().at(operand), bytes));
    }
    return report;
  } catch (...) {
    return given_up("running on the GPU");
  }

  Expected<void> launch(const DeviceAddresses& operands, void* stream,
                        const Pitches& pitches) override {
    return kernel_->launch(operands, stream, pitches);
  }

  Expected<std::optional<Finding>> finding(std::optional<void*> stream) override {
    return stream ? kernel_->finding(*stream) : kernel_->finding();
  }

  double sum_error() const override { return kernel_->plan().sum_error; }

 private:
  Program program_;
  std::shared_ptr<Kernel> kernel_;
};

}  // namespace

std::unique_ptr<Executable> make_program(const Program& program, std::shared_ptr<Kernel> kernel) {
  return std::make_unique<CudaProgram>(program, std::move(kernel));
}

}  // namespace tessera::cuda
