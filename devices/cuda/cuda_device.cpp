#include "devices/cuda/cuda_device.h"

#include <fmt/format.h>

#include "core/report/guarded.h"
#include "devices/cuda/cuda_program.h"
#include "devices/cuda/cuda_source.h"
#include "devices/cuda/cuda_workbench.h"
#include "devices/cuda/graph/graph_program.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/model/choice.h"
#include "devices/cuda/model/gpu_figures.h"
#include "devices/cuda/runtime/cache.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/kernel.h"

namespace tessera {
namespace {

class Cuda final : public Device {
 public:
  std::string_view name() const override { return "cuda"; }

  Support available() const override {
    if (Support compiler = cuda::compiler_available(); !compiler.ok) return compiler;
    if (Support fits = cuda::compiler_fits_driver(); !fits.ok) return fits;
    Support driver = cuda::driver_available();
    if (!driver.ok)
      driver.reason =
          fmt::format("{} is installed, but {}", cuda::compiler_version(), driver.reason);
    return driver;
  }

  Support supports(const Program& program, const PrepareOptions& how) const override {
    const Support kernel = cuda::can_lower(program, how);
    if (kernel.ok || !cuda::takes_graph(how)) return kernel;
    return cuda::can_plan(program);
  }

  Support takes_hints(const MachineHints&) const override { return {}; }

  bool supports_launch() const override { return true; }
  bool supports_multiple_devices() const override { return true; }

  // The fp8 instructions accumulate with low precision, so they are used at default precision only.
  // They read both operands along the contraction, in units of 16 bytes.
  Fp8Products fp8_products(const GroupedDesc& desc) const override {
    const bool is_native = cuda::is_wgmma_byte_type(desc.lhs) &&
                           cuda::is_wgmma_byte_type(desc.rhs) && desc.transpose_rhs &&
                           desc.k % 16 == 0 && desc.precision == Precision::Default &&
                           cuda::has_fast_kernels();
    return is_native ? Fp8Products::native : Fp8Products::widened;
  }

  ConfigChoice default_config(const ConfigQuery& query,
                              const DeviceOptions& options) const override {
    std::vector<ConfigChoice> first = cuda::ranked_choices(query, 1);
    return first.empty() ? Device::default_config(query, options) : std::move(first.front());
  }

  std::vector<ConfigChoice> candidates(const ConfigQuery& query,
                                       const DeviceOptions&) const override {
    return cuda::ranked_choices(query);
  }

  std::string time_model() const override {
    return std::string(cuda::gpu_figures(cuda::device_facts()).name);
  }

  std::string version_key(const DeviceOptions&) const override {
    const std::string& gpu = cuda::device_facts().name;
    return fmt::format("cuda {}|{}", gpu.empty() ? "without a GPU" : gpu, cuda::compiler_version());
  }

  std::string time_source(const DeviceOptions&) const override {
    return fmt::format("measured on {}, {}", cuda::device_text(), cuda::compiler_version());
  }

  std::string accelerator() const override {
    const cuda::DeviceFacts& facts = cuda::device_facts();
    return fmt::format("{}, {} multiprocessors", facts.name, facts.multiprocessors);
  }

  Expected<std::unique_ptr<Workbench>> workbench() const override { return cuda::make_workbench(); }

  bool supports_emit() const override { return true; }

  Expected<std::unique_ptr<EmittedKernel>> emit(const Program& program,
                                                KernelForm form) const override {
    return cuda::emitted(program, form);
  }

  KernelCacheInfo kernel_cache() const override { return cuda::compiled_kernels(); }

  Expected<std::int64_t> clear_kernel_cache() const override {
    return cuda::clear_compiled_kernels();
  }

  Expected<std::unique_ptr<Executable>> prepare(const Program& program,
                                                const PrepareOptions& how) const override try {
    Expected<std::shared_ptr<cuda::Kernel>> kernel = cuda::Kernel::make(program, how);
    if (kernel) return cuda::make_program(program, *std::move(kernel));
    // A program without a single kernel may run as a graph of several kernels and copies.
    const Diag& why = kernel.diags().front();
    if (why.code != ErrorCode::unsupported || !cuda::takes_graph(how)) return kernel.diags();
    return cuda::make_graph_program(program, why.message);
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
