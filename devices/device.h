// Where a program runs. A device takes the structured form of a program and makes an executable of
// it, or says why it cannot.
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

// Whether something can be done, and why not.
struct Support {
  bool ok = true;      // it can
  std::string reason;  // when it cannot, or a remark on how it can: a sentence without a full stop
};

// The operands and results of one device of the run, by the names of the program's buffers. They
// are the caller's; operands are only read.
using DeviceBinding = std::map<std::string, Tensor*, std::less<>>;

// How a device runs a program, as far as callers decide that. Devices that simulate nothing ignore
// it.
struct DeviceOptions {
  MachineProfile profile;  // of the simulated devices; without a name: the default profile
  // Schedule, checks and observers of the simulation (interp/run_options.h, which is not
  // installed); null: the defaults. Its profile and its number of devices are not used.
  const RunOptions* interpreter = nullptr;
};

// What one run left beside its results.
struct DeviceReport {
  double wall_seconds = 0;        // the run of the kernel alone, in seconds of this machine
  std::vector<Finding> findings;  // mistakes of the program; with any, its results are undefined
  // Error of units that accumulate with fewer bits than f32, beside the roundings of f32: relative
  // to the sum of the terms' magnitudes. 0: none.
  double sum_error = 0;
  std::vector<std::string> warnings;           // cached kernels that could not be used, and why
  std::vector<std::string> notes;              // how it ran, where the run alone tells
  std::shared_ptr<const RunResult> simulated;  // what the simulation found; null on other devices
};

// Addresses of operands and results in a device's own memory, by the names of the program's
// buffers.
using DeviceAddresses = std::map<std::string, std::uint64_t, std::less<>>;
// Leading dimensions, in elements from one row to the next, by the names of the operands whose rows
// are not adjacent. A row runs along the contiguous dimension; the pitch is the same for all rows.
using Pitches = std::map<std::string, std::int64_t, std::less<>>;

// A program made ready for a device: lowered and compiled once, run or launched any number of
// times.
class Executable {
 public:
  virtual ~Executable() = default;
  // Of a run on `devices` devices, those whose operands run() takes, in ascending order: all,
  // unless it runs beside other executables that have the others (a process or a GPU may hold one
  // of eight).
  virtual std::vector<std::size_t> devices(std::size_t devices) const;
  // Runs the program, one binding for each device that it holds. Errors are bindings that do not
  // fit the program; mistakes of the program are findings in the report.
  virtual Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                                     const DeviceOptions& options) = 0;
  // The same with bindings of all devices, of which it takes its own; an error if one has none.
  Expected<DeviceReport> run_with_all(const std::vector<DeviceBinding>& of_all,
                                      const DeviceOptions& options);
  // Enqueues one run on operands in the device's memory, on a stream of the device's library (a
  // CUstream; null: the default one). Copies nothing and returns before the kernel ends.
  // ErrorCode::unsupported where the device has no memory of its own.
  virtual Expected<void> launch(const DeviceAddresses& operands, void* stream,
                                const Pitches& pitches = {});
  // The same for a program of several devices, or whose control reads operands: addresses by
  // device. control: by device, on the host, the operands that decide what is done; of others it
  // has none.
  virtual Expected<void> launch_all(const std::vector<DeviceAddresses>& operands,
                                    const std::vector<DeviceBinding>& control, void* stream);
  // What launches on the stream (without one: on any stream) found wrong with their operands, once
  // the stream is synchronised.
  virtual Expected<std::optional<Finding>> finding(std::optional<void*> stream = {});
  // finding() as an error: ErrorCode::invalid_value for what the program requires of its operands.
  Expected<void> check(std::optional<void*> stream = {});
  // DeviceReport::sum_error of its runs and launches.
  virtual double sum_error() const { return 0; }
  // Sentences for a report on how it runs, as that operands are converted.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Which kernels of a program prepare() may give.
struct PrepareOptions {
  MachineHints hints;             // wanted of the kernel
  bool may_ignore_hints = false;  // a kernel without the hints will do; else it is refused
  bool require_fast = false;      // the general kernel, which is slow, is refused
};

// The kernel of a product with a configuration; its errors are what the kernel requires of one.
using KernelBuilder = std::function<Expected<Program>(const KernelConfig&)>;

// A product for which a device is asked how its kernel is cut.
struct ConfigQuery {
  GroupedDesc desc;  // lhs and rhs: the types in which the operands are multiplied
  // Its kernel, which says what the device can make of each configuration. Empty: it is not known,
  // and the device answers by the product alone.
  KernelBuilder kernel = {};
  std::optional<std::int64_t> buffers = {};  // slots of each input window, if the caller fixed them
};

// A configuration that a device offers for a product.
struct ConfigChoice {
  KernelConfig config;                     // the configuration
  std::optional<double> expected_seconds;  // by the device's model, where it has one
  std::string reason;                      // why this one: "the tiling of profile v5e"
};

// Which of its kernels of a program a device emits.
enum class KernelForm : std::uint8_t {
  fast,    // the one that it is fast with
  general  // the one that runs on any machine of its kind, slowly
};

// Compiled kernels that a device keeps on disk between runs.
struct KernelCacheInfo {
  std::int64_t files = 0, bytes = 0;  // how many, and their size
  std::string note;                   // why none of them is used; else empty
};

// How a device multiplies FP8 operands (e4m3, e5m2), whose values bf16 holds exactly.
enum class Fp8Products : std::uint8_t {
  widened,   // they are converted to bf16 first
  emulated,  // kernels with FP8 operands run, but are no faster than with bf16
  native     // kernels with FP8 operands use FP8 instructions
};

// A kind of machine that programs run on. devices/devices.h lists those that there are.
class Device {
 public:
  virtual ~Device() = default;
  // As --device and reports name it: "interpreter", "cuda".
  virtual std::string_view name() const = 0;
  // Whether this machine has the device and what it needs; the reason names what is missing.
  virtual Support available() const = 0;
  // Whether prepare() would give a kernel, were the device available; the reason when not.
  virtual Support supports(const Program& structured, const PrepareOptions& how = {}) const = 0;
  // Whether the device knows hints of this kind; whether a kernel honours them, supports() says.
  virtual Support takes_hints(const MachineHints& hints) const = 0;
  // How it multiplies the FP8 operands of this product.
  virtual Fp8Products fp8_products(const GroupedDesc& desc) const = 0;
  // A sentence for the report on a product of that precision; none where it is as requested.
  virtual std::optional<std::string> precision_note(Precision) const { return {}; }
  // The configuration for a product that has none of the caller's, and why this one: where a device
  // decides that, and the last link of the chain that callers ask (kernels/tuning). The kernel's
  // own by default.
  virtual ConfigChoice default_config(const ConfigQuery& query, const DeviceOptions& options) const;
  // What tuning measures, the most promising first: by the ranking whose first choose() gives,
  // here clamped to the product where the device's kernels gain nothing by larger tiles. May be
  // empty. Also where the device is not available.
  virtual std::vector<ConfigChoice> candidates(const ConfigQuery& query,
                                               const DeviceOptions& options) const;
  // The machine whose figures the device's model of time uses ("H200"); empty where it has no
  // model.
  virtual std::string time_model() const { return {}; }
  // Machine and versions for which measured configurations hold: the key of a cache.
  virtual std::string version_key(const DeviceOptions& options) const = 0;
  // How its times come about: "simulated on v5e", "measured on NVIDIA H200, driver 13.0,
  // NVRTC 13.0".
  virtual std::string time_source(const DeviceOptions& options) const = 0;
  // Whether it has memory of its own, and so Executable::launch.
  virtual bool supports_launch() const { return false; }
  // Whether runs simulate a machine: their time is computed, not measured.
  virtual bool is_simulated() const { return false; }
  // Whether a run may be of several devices of its kind (--devices).
  virtual bool supports_multiple_devices() const { return is_simulated(); }
  // The machine that its times are of, beside the processor: "NVIDIA H200, 132 multiprocessors";
  // empty where there is none.
  virtual std::string accelerator() const { return {}; }
  // To measure launches. ErrorCode::unsupported where the device has no clock for them.
  virtual Expected<std::unique_ptr<Workbench>> workbench() const;
  // Whether its kernels are source that a compiler takes, and so emit().
  virtual bool supports_emit() const { return false; }
  // A kernel of the program as source. ErrorCode::unsupported where there is no such kernel.
  virtual Expected<std::unique_ptr<EmittedKernel>> emit(const Program& structured,
                                                        KernelForm form) const;
  // The compiled kernels in the user's cache folder.
  virtual KernelCacheInfo kernel_cache() const { return {}; }
  // Removes them; how many there were.
  virtual Expected<std::int64_t> clear_kernel_cache() const { return std::int64_t{0}; }
  // Lowers and compiles the program. ErrorCode::environment where the device is not available,
  // unsupported with the reason for what it cannot run.
  virtual Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                        const PrepareOptions& how = {}) const = 0;
  // Prepares and runs once, with bindings of all devices.
  Expected<DeviceReport> run(const Program& structured, const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) const;
};

}  // namespace tessera
