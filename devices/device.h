// The interface of devices, which run programs. A device creates an executable from the structured
// form of a program, or reports why it cannot.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"

namespace tessera {

class EmittedKernel;  // devices/emitted_kernel.h
class Workbench;      // devices/workbench.h
struct RunOptions;    // interp/run_options.h
struct RunResult;

// Whether an operation is supported, with the reason if it is not.
struct Support {
  bool ok = true;      // the operation is supported
  std::string reason;  // reason if not, or a remark if it is; a sentence without a full stop
};

// The operands and results of one device of a run, by the names of the program's buffers. The
// caller owns them. Operands are only read.
using DeviceBinding = std::map<std::string, Tensor*, std::less<>>;

// Options of a run. Devices that simulate nothing ignore them.
struct DeviceOptions {
  MachineProfile profile;  // machine of the simulated devices; without a name: the default profile
  // Schedule, checks and observers of the simulation (interp/run_options.h, which is not
  // installed). Null: defaults. Its profile and its number of devices are ignored.
  const RunOptions* interpreter = nullptr;
};

// Diagnostics of one run, in addition to its results.
struct DeviceReport {
  double wall_seconds = 0;        // duration of the kernel only, on this machine
  std::vector<Finding> findings;  // errors of the program; results are undefined if not empty
  // Error of units that accumulate with fewer bits than f32, relative to the sum of the terms'
  // magnitudes, in addition to the roundings of f32. 0: none.
  double sum_error = 0;
  std::vector<std::string> warnings;  // cached kernels that could not be used, with the reason
  std::vector<std::string> notes;     // facts about the execution that are only known after the run
  std::shared_ptr<const RunResult> simulated;  // result of the simulation; null on other devices
};

// Addresses of operands and results in a device's own memory, by the names of the program's
// buffers.
using DeviceAddresses = std::map<std::string, std::uint64_t, std::less<>>;
// Leading dimensions by operand name: elements from one row to the next, for operands with rows
// that are not adjacent. A row runs along the contiguous dimension; the pitch is the same for all
// rows.
using Pitches = std::map<std::string, std::int64_t, std::less<>>;

// A program that is lowered and compiled for a device. It can be run or launched any number of
// times.
class Executable {
 public:
  virtual ~Executable() = default;
  // Indices of the devices whose operands run() takes, in ascending order, for a run on `devices`
  // devices. All by default; fewer if other executables, in other processes or on other GPUs, run
  // the rest.
  virtual std::vector<std::size_t> devices(std::size_t devices) const;
  // Runs the program, and waits for it. bindings: one for each of devices(), in this order. Fails
  // with ErrorCode::invalid_value if the bindings do not fit the program; errors of the program are
  // findings in the report.
  virtual Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                                     const DeviceOptions& options) = 0;
  // Runs the program with bindings for all devices, and passes those of devices() to run(). Fails
  // with ErrorCode::invalid_value if a device of devices() has no binding.
  Expected<DeviceReport> run_with_all(const std::vector<DeviceBinding>& of_all,
                                      const DeviceOptions& options);
  // Launches the program asynchronously on operands in device memory, without copying them. stream:
  // a CUstream; null: the default stream. Fails with ErrorCode::unsupported if the device has no
  // memory of its own, if the executable accepts no pitches, or if it needs launch_all(); with
  // ErrorCode::invalid_value if an operand has no address, or if its address or its pitch does not
  // fit the kernel.
  virtual Expected<void> launch(const DeviceAddresses& operands, void* stream,
                                const Pitches& pitches = {});
  // Like launch(), for a program with several devices, or with operands that decide its actions.
  // operands: by device. control: by device, in host memory, the operands that decide the program's
  // actions; no others are needed. Fails with ErrorCode::unsupported if one is missing. Both lists
  // have one entry for each device; else fails with ErrorCode::invalid_value. An executable that is
  // a single kernel ignores `control` for one device.
  virtual Expected<void> launch_all(const std::vector<DeviceAddresses>& operands,
                                    const std::vector<DeviceBinding>& control, void* stream);
  // Returns the finding of a launch on the stream that rejected its operands, and clears it; none
  // if no launch since the last call did. Without a stream, all streams are considered. Synchronise
  // the stream first. Fails with ErrorCode::invalid_value if operands violate a requirement of the
  // program.
  virtual Expected<std::optional<Finding>> finding(std::optional<void*> stream = {});
  // Calls finding(), and fails with its finding (ErrorCode::runtime), or like finding().
  Expected<void> check(std::optional<void*> stream = {});
  // DeviceReport::sum_error of its runs and launches.
  virtual double sum_error() const { return 0; }
  // Remarks for a report on the execution, for example that operands are converted.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Restrictions on the kernel that prepare() creates.
struct PrepareOptions {
  MachineHints hints;             // requested hints
  bool may_ignore_hints = false;  // accepts a kernel without the hints; else it is rejected
  bool require_fast = false;      // rejects the general kernel, which is slow
};

// Creates the kernel of a product for a configuration. Fails if the kernel does not accept it.
using KernelBuilder = std::function<Expected<Program>(const KernelConfig&)>;

// A product for which a device chooses the configuration of the kernel.
struct ConfigQuery {
  GroupedDesc desc;  // lhs, rhs: types in which the operands are multiplied
  // Used to check whether the device can compile a configuration. If empty, the device chooses from
  // `desc` only.
  KernelBuilder kernel = {};
  std::optional<std::int64_t> buffers = {};  // slots of each input window, if the caller fixes them
};

// A configuration that a device proposes for a product.
struct ConfigChoice {
  KernelConfig config;                     // the proposed configuration
  std::optional<double> expected_seconds;  // from the device's time model, if there is one
  std::string reason;                      // reason for the choice: "the tiling of profile v5e"
};

// Kernels that a device can emit for a program.
enum class KernelForm : std::uint8_t {
  fast,    // the fast kernel of the device
  general  // a slow kernel for any machine of the device's kind
};

// Compiled kernels that a device caches on disk.
struct KernelCacheInfo {
  std::int64_t files = 0, bytes = 0;  // number of files, total size
  std::string note;                   // reason why none of them is used; else empty
};

// Multiplication of FP8 operands (e4m3, e5m2). bf16 represents their values exactly.
enum class Fp8Products : std::uint8_t {
  widened,   // operands are converted to bf16 first
  emulated,  // kernels accept FP8 operands, but are no faster than with bf16
  native     // kernels use FP8 instructions
};

// A kind of machine that runs programs. devices/devices.h lists all of them.
class Device {
 public:
  virtual ~Device() = default;
  // Name in --device and in reports: "interpreter", "cuda".
  virtual std::string_view name() const = 0;
  // Whether this machine has the device and its requirements; the reason names missing ones.
  virtual Support available() const = 0;
  // Whether prepare() would create a kernel if the device were available.
  virtual Support supports(const Program& structured, const PrepareOptions& how = {}) const = 0;
  // Whether the device supports hints of this kind. supports() reports whether a kernel honours
  // them.
  virtual Support takes_hints(const MachineHints& hints) const = 0;
  // Multiplication of the FP8 operands of this product.
  virtual Fp8Products fp8_products(const GroupedDesc& desc) const = 0;
  // A remark for the report on a product with this precision; none if it is used as requested.
  virtual std::optional<std::string> precision_note(Precision) const { return {}; }
  // Configuration for a product if the caller has none, with the reason. Used when the device
  // decides, and as the last step of the callers' own search (kernels/tuning). By default the
  // configuration of the kernel.
  virtual ConfigChoice default_config(const ConfigQuery& query, const DeviceOptions& options) const;
  // Configurations for tuning to measure, best estimate first; ranked as in default_config(). Tiles
  // are clamped to the product if larger ones bring no gain. May be empty. Does not require that
  // the device is available.
  virtual std::vector<ConfigChoice> candidates(const ConfigQuery& query,
                                               const DeviceOptions& options) const;
  // Machine of the device's time model ("H200"); empty if there is no model.
  virtual std::string time_model() const { return {}; }
  // Machine and versions for which measured configurations are valid; used as a cache key.
  virtual std::string version_key(const DeviceOptions& options) const = 0;
  // Origin of its times: "simulated on v5e", "measured on NVIDIA H200, driver 13.0, NVRTC 13.0".
  virtual std::string time_source(const DeviceOptions& options) const = 0;
  // True if the device has memory of its own, and so supports Executable::launch().
  virtual bool supports_launch() const { return false; }
  // True if runs simulate a machine: their time is computed, not measured.
  virtual bool is_simulated() const { return false; }
  // True if a run may have several devices of this kind (--devices).
  virtual bool supports_multiple_devices() const { return is_simulated(); }
  // Machine that is measured, in addition to the processor: "NVIDIA H200, 132 multiprocessors";
  // empty if there is none. Requires that the device is available.
  virtual std::string accelerator() const { return {}; }
  // Returns a workbench for measuring launches. Fails with ErrorCode::unsupported if the device has
  // no clock for them, and with ErrorCode::environment if it is not available.
  virtual Expected<std::unique_ptr<Workbench>> workbench() const;
  // True if its kernels are compiled from source, so that emit() is supported.
  virtual bool supports_emit() const { return false; }
  // Returns a kernel of the program as source. Fails with ErrorCode::unsupported if the device has
  // no kernel of this form for the program.
  virtual Expected<std::unique_ptr<EmittedKernel>> emit(const Program& structured,
                                                        KernelForm form) const;
  // The compiled kernels in the user's cache folder.
  virtual KernelCacheInfo kernel_cache() const { return {}; }
  // Removes the kernels that kernel_cache() counts, and returns their number. Fails at the first
  // file that cannot be removed; those before it are then removed.
  virtual Expected<std::int64_t> clear_kernel_cache() const { return std::int64_t{0}; }
  // Lowers and compiles the program. Fails with ErrorCode::environment if the device is not
  // available, with ErrorCode::unsupported if it cannot run the program, and with
  // ErrorCode::runtime if the compiler fails.
  virtual Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                        const PrepareOptions& how = {}) const = 0;
  // Prepares the program and runs it once. bindings: for all devices. Fails like prepare() and
  // Executable::run_with_all().
  Expected<DeviceReport> run(const Program& structured, const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) const;
};

}  // namespace tessera
