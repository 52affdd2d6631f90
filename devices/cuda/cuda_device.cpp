#include "devices/cuda/cuda_device.h"

#include <fmt/format.h>

#include "core/report/guarded.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/kernel.h"

namespace tessera {
namespace {

using cuda::Problem;

// Memory of the device for the length of one run.
class DeviceMemory {
 public:
  ~DeviceMemory() {
    for (const auto& [name, address] : operands_) cuda::release(address);
  }
  // Inputs are copied; results are filled with a pattern that no kernel computes, so that what is
  // not written is seen.
  Problem add(const Buffer& buffer, const Tensor& tensor) {
    std::uint64_t address = 0;
    const auto bytes = static_cast<std::size_t>(tensor.bytes());
    if (auto problem = cuda::allocate(address, bytes)) return problem;
    operands_[buffer.name] = address;
    if (buffer.role == Role::out) return cuda::set_bytes(address, 0xFF, bytes, nullptr);
    return cuda::to_device(address, tensor.data(), bytes);
  }
  const cuda::DeviceOperands& operands() const { return operands_; }

 private:
  cuda::DeviceOperands operands_;
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
  cuda::Event event;
  OwnEvent() = default;
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent() {
    if (event.handle != nullptr) cuda::destroy_event(event);
  }
};

Problem timed_run(cuda::Kernel& kernel, const cuda::DeviceOperands& operands, double& seconds) {
  // Of this run alone: other threads time theirs at the same moment.
  OwnEvent first, last;
  if (auto problem = cuda::create_event(first.event)) return problem;
  if (auto problem = cuda::create_event(last.event)) return problem;
  cuda::Event &begin = first.event, &end = last.event;
  if (auto problem = cuda::record(begin, nullptr)) return problem;
  if (auto problem = kernel.launch(operands, nullptr)) return problem;
  if (auto problem = cuda::record(end, nullptr)) return problem;
  if (auto problem = cuda::synchronise(nullptr)) return problem;
  return cuda::elapsed_seconds(seconds, begin, end);
}

class CudaProgram final : public Executable {
 public:
  CudaProgram(const Program& program, std::shared_ptr<cuda::Kernel> kernel)
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
    const cuda::ContextScope own(kernel_->context());
    if (own.problem()) return *own.problem();
    DeviceMemory memory;
    std::vector<std::pair<std::string, Tensor*>> results;
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch) continue;
      const Expected<Tensor*> tensor = bound(buffer, bindings[0]);
      if (!tensor) return tensor.diags();
      if (auto problem = memory.add(buffer, **tensor)) return *problem;
      if (buffer.role == Role::out) results.emplace_back(buffer.name, *tensor);
    }
    DeviceReport report;
    report.sum_error = kernel_->plan().sum_error;
    report.warnings = kernel_->compiler_notes();
    if (auto problem = timed_run(*kernel_, memory.operands(), report.wall_seconds)) return *problem;
    Expected<std::optional<Finding>> found = kernel_->finding();
    if (!found) return found.diags();
    if (*found) {
      report.findings.push_back(**std::move(found));
      return report;
    }
    for (const auto& [operand, tensor] : results) {
      const auto bytes = static_cast<std::size_t>(tensor->bytes());
      if (auto problem = cuda::to_host(tensor->data(), memory.operands().at(operand), bytes))
        return *problem;
    }
    return report;
  } catch (...) {
    return given_up("running on the GPU");
  }

 private:
  Program program_;
  std::shared_ptr<cuda::Kernel> kernel_;
};

class Cuda final : public Device {
 public:
  std::string_view name() const override { return "cuda"; }

  Support available() const override {
    if (Support compiler = cuda::compiler_available(); !compiler.ok) return compiler;
    if (Support fits = cuda::compiler_fits_driver(); !fits.ok) return fits;
    Support driver = cuda::driver_available();
    if (!driver.ok)
      driver.reason = fmt::format("{} is here, but {}", cuda::compiler_version(), driver.reason);
    return driver;
  }

  Support supports(const Program& program) const override {
    const Expected<cuda::LoweredKernel> plan = cuda::lower_any(program, {});
    if (plan) return {};
    return {false, plan.diags().front().message};
  }

  Expected<std::unique_ptr<Executable>> prepare(const Program& program, const MachineHints& hints,
                                                UnusedHints unused) const override try {
    Expected<std::shared_ptr<cuda::Kernel>> kernel = unused == UnusedHints::refused
                                                         ? cuda::Kernel::make_by(program, hints)
                                                         : cuda::Kernel::make(program, hints);
    if (!kernel) return kernel.diags();
    return std::unique_ptr<Executable>(std::make_unique<CudaProgram>(program, *std::move(kernel)));
  } catch (...) {
    return given_up("preparing a kernel for the GPU");
  }
};

}  // namespace

const Device& cuda_device() {
  static const Cuda device;
  return device;
}

}  // namespace tessera
