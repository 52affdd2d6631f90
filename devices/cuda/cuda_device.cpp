#include "devices/cuda/cuda_device.h"

#include <fmt/format.h>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/model/grouped_model.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/device_arrays.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/cuda/runtime/timer.h"

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
    report.sum_error = sum_error();
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

  Expected<void> launch(const DeviceAddresses& operands, void* stream,
                        const Pitches& pitches) override {
    if (auto problem = kernel_->launch(operands, stream, pitches)) return *std::move(problem);
    return {};
  }

  Expected<std::optional<Finding>> finding(std::optional<void*> stream) override {
    return stream ? kernel_->finding(*stream) : kernel_->finding();
  }

  double sum_error() const override { return kernel_->plan().sum_error; }

 private:
  Program program_;
  std::shared_ptr<cuda::Kernel> kernel_;
};

// Events around each launch, after the L2 cache was overwritten.
class CudaStopwatch final : public Stopwatch {
 public:
  Expected<void> make(const std::vector<MeasuredOperand>& operands) {
    timer_ = TRY(cuda::DeviceTimer::make());
    for (const MeasuredOperand& operand : operands) {
      std::uint64_t& address = addresses_[operand.name];
      if (auto problem = arrays_.add(address, operand.elements * size_of(operand.dtype)))
        return *std::move(problem);
      if (operand.pattern.elements() == 0) continue;
      if (auto problem = cuda::DeviceArrays::fill(address, operand.elements, operand.pattern))
        return *std::move(problem);
    }
    return {};
  }

  Expected<double> seconds(Executable& executable) override {
    const double took = TRY(timer_->seconds([&]() -> Problem {
      const Expected<void> launched = executable.launch(addresses_, nullptr);
      return launched ? Problem() : Problem(launched.diags().front());
    }));
    TRY(executable.check());
    return took;
  }

 private:
  cuda::DeviceArrays arrays_;
  DeviceAddresses addresses_;
  std::shared_ptr<cuda::DeviceTimer> timer_;
};

// Without a GPU the kernels are those of sm_90.
bool has_fast_kernels() {
  return !cuda::driver_available().ok || cuda::device_facts().has_fast_kernels();
}

// A configuration has as many slots as fit, and no more than that many where more would.
bool has_room(const KernelConfig& config, std::optional<std::int64_t> buffers) {
  constexpr std::int64_t most_modelled = 8;
  return !buffers || *buffers <= config.buffers || config.buffers >= most_modelled;
}

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

  Support supports(const Program& program, const PrepareOptions& how) const override {
    const bool is_older = how.only_fast && !has_fast_kernels();
    const Expected<cuda::LoweredKernel> plan = cuda::lower_as(program, how, !is_older);
    if (plan) return {};
    return {false, plan.diags().front().message};
  }

  Support takes_hints(const MachineHints&) const override { return {}; }

  bool launches() const override { return true; }

  // The instructions keep few digits of a sum, so they are for those who do not ask for more; they
  // read both operands along the contraction, in steps of 16 bytes.
  Fp8Products fp8_products(const GroupedDesc& desc) const override {
    const bool is_native = cuda::is_wgmma_byte_type(desc.lhs) &&
                           cuda::is_wgmma_byte_type(desc.rhs) && desc.transpose_rhs &&
                           desc.k % 16 == 0 && desc.precision == Precision::Default &&
                           has_fast_kernels();
    return is_native ? Fp8Products::native : Fp8Products::widened;
  }

  ConfigChoice choose(const GroupedDesc& desc, const DeviceOptions& options,
                      std::optional<std::int64_t> buffers) const override {
    std::vector<ConfigChoice> all = candidates(desc, options);
    ConfigChoice* chosen = &all.front();
    for (ConfigChoice& each : all) {
      if (!has_room(each.config, buffers)) continue;
      chosen = &each;
      break;
    }
    if (buffers) chosen->config.buffers = *buffers;
    return std::move(*chosen);
  }

  std::vector<ConfigChoice> candidates(const GroupedDesc& desc,
                                       const DeviceOptions&) const override {
    const cuda::GpuFigures gpu = cuda::gpu_figures(cuda::device_facts());
    std::vector<ConfigChoice> all;
    for (cuda::Estimate& each : cuda::estimates(desc, gpu))
      all.push_back({std::move(each.config), each.seconds,
                     fmt::format("number {} of the model for {}", all.size() + 1, gpu.name)});
    return all;
  }

  std::string modelled() const override {
    return std::string(cuda::gpu_figures(cuda::device_facts()).name);
  }

  std::string identity(const DeviceOptions&) const override {
    const std::string& gpu = cuda::device_facts().name;
    return fmt::format("cuda {}|{}", gpu.empty() ? "without a GPU" : gpu, cuda::compiler_version());
  }

  std::string clock(const DeviceOptions&) const override {
    return fmt::format("measured on {}, {}", cuda::device_text(), cuda::compiler_version());
  }

  Expected<std::unique_ptr<Stopwatch>> stopwatch(
      const std::vector<MeasuredOperand>& operands) const override {
    auto made = std::make_unique<CudaStopwatch>();
    TRY(made->make(operands));
    return std::unique_ptr<Stopwatch>(std::move(made));
  }

  Expected<std::unique_ptr<Executable>> prepare(const Program& program,
                                                const PrepareOptions& how) const override try {
    Expected<std::shared_ptr<cuda::Kernel>> kernel = cuda::Kernel::make(program, how);
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
