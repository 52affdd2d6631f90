// Where a program runs. A device takes the structured form of a program and makes an executable of
// it, or says why it cannot.
#pragma once  // public
#include <cstdint>
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

struct RunOptions;  // interp/run_options.h
struct RunResult;

// Whether something can be done; the reason when it cannot is a sentence without a full stop.
struct Support {
  bool ok = true;
  std::string reason;
};

// The operands and results of one device of the run, by the names of the program's buffers.
using DeviceBinding = std::map<std::string, Tensor*, std::less<>>;

struct DeviceOptions {
  MachineProfile profile;  // of the simulated devices; without a name: the default profile
  const RunOptions* interpreter =
      nullptr;  // schedule, checks, observers; its profile and devices are not used
};

struct DeviceReport {
  double wall_seconds = 0;        // the run of the kernel alone
  std::vector<Finding> findings;  // what the program did wrong; then results mean nothing
  // What units that add up to few digits may lose of a sum, beside the roundings of f32; relative
  // to the sum of its terms' magnitudes.
  double sum_error = 0;
  std::vector<std::string> warnings;           // what a cache holds that was not used
  std::shared_ptr<const RunResult> simulated;  // all the interpreter tells; null elsewhere
};

// Where operands and results lie in a device's own memory, by the names of the program's buffers.
using DeviceAddresses = std::map<std::string, std::uint64_t, std::less<>>;
// Elements from a row to the next, by the names of the operands whose rows do not follow each
// other. A row runs along the dimension that is contiguous; those of all outer indices are as far
// apart.
using Pitches = std::map<std::string, std::int64_t, std::less<>>;

// A program made ready for a device: lowered and compiled once, run or launched any number of
// times.
class Executable {
 public:
  virtual ~Executable() = default;
  // Of a run on `devices` devices, those whose operands run() takes, in ascending order: all,
  // unless it runs beside other executables that have the others (a process or a GPU may hold one
  // of eight).
  virtual std::vector<std::size_t> held(std::size_t devices) const;
  // One binding for each device that it holds. Bad bindings are diagnostics, a faulty program is a
  // finding.
  virtual Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                                     const DeviceOptions& options) = 0;
  // The same with bindings of all devices, of which it takes its own.
  Expected<DeviceReport> run_held(const std::vector<DeviceBinding>& of_all,
                                  const DeviceOptions& options);
  // Enqueues one run on memory that is the device's already, on a stream of the device's library
  // (null: its default one). Nothing is copied and nothing is waited for. ErrorCode::unsupported
  // where the device has no memory of its own.
  virtual Expected<void> launch(const DeviceAddresses& operands, void* stream,
                                const Pitches& pitches = {});
  // After the stream was synchronised: what launches on it found wrong with their operands; without
  // a stream, launches on any.
  virtual Expected<std::optional<Finding>> finding(std::optional<void*> stream = {});
  // The same, a finding being an error (ErrorCode::invalid_value for what the program requires).
  Expected<void> check(std::optional<void*> stream = {});
  // DeviceReport::sum_error of a run or a launch.
  virtual double sum_error() const { return 0; }
  // What a report should say of the way in which it runs.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Which kernels of a program are an answer.
struct PrepareOptions {
  MachineHints hints;
  bool may_ignore_hints = false;  // else a kernel that cannot honour them is refused
  bool only_fast = false;         // a general kernel, which is slow, is refused
};

// A configuration that a device offers for a product.
struct ConfigChoice {
  KernelConfig config;
  std::optional<double> expected_seconds;  // by the device's model, where it has one
  std::string reason;                      // why this one: "the tiling of profile v5e"
};

// An operand in a device's memory whose values do not matter, for measuring.
struct MeasuredOperand {
  std::string name;
  DType dtype;
  std::int64_t elements;
  Tensor pattern;  // its elements, again and again; of no elements: left as they are
};

// Times launches by a device's own clock, on operands that it keeps.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Of one launch, whose operands no cache holds any more; what it found wrong is an error.
  virtual Expected<double> seconds(Executable& executable) = 0;
};

// What a device makes of operands of one byte (e4m3, e5m2), which bf16 holds exactly.
enum class Fp8Products : std::uint8_t {
  widened,   // they are multiplied in bf16
  emulated,  // a program that takes them as they are runs, and gains nothing by it
  native     // kernels that take them as they are use instructions of their own
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  // Whether the device is here at all.
  virtual Support available() const = 0;
  // Whether it can run this program in that way, also where the device is not here.
  virtual Support supports(const Program& structured, const PrepareOptions& how = {}) const = 0;
  // Whether there are hints here at all, of whatever value.
  virtual Support takes_hints(const MachineHints& hints) const = 0;
  virtual Fp8Products fp8_products(const GroupedDesc& desc) const = 0;
  // What a report should say of a product in which that precision is asked for.
  virtual std::optional<std::string> note_of(Precision) const { return {}; }
  // The configuration for a product of which nobody gave one. The operands of `desc` have the
  // types in which they are multiplied. `buffers`: slots of the input windows, where these are
  // given.
  virtual ConfigChoice choose(const GroupedDesc& desc, const DeviceOptions& options,
                              std::optional<std::int64_t> buffers = {}) const = 0;
  // Those worth measuring, the most promising first; never empty. Needs no device.
  virtual std::vector<ConfigChoice> candidates(const GroupedDesc& desc,
                                               const DeviceOptions& options) const = 0;
  // Whose figures the model takes by which it expects times ("H200"); empty where it has none.
  virtual std::string modelled() const { return {}; }
  // What a measured configuration holds for: machine, versions.
  virtual std::string identity(const DeviceOptions& options) const = 0;
  // "simulated on v5e", "measured on NVIDIA H200, driver 13.0, NVRTC 13.0".
  virtual std::string clock(const DeviceOptions& options) const = 0;
  // Whether it has memory of its own, on which launches work.
  virtual bool launches() const { return false; }
  // Whether runs simulate a machine, and so know its time without a clock.
  virtual bool is_simulated() const { return false; }
  // ErrorCode::unsupported where launches have no clock of their own.
  virtual Expected<std::unique_ptr<Stopwatch>> stopwatch(
      const std::vector<MeasuredOperand>& operands) const;
  // ErrorCode::environment where the device is not here, unsupported with the reason for what it
  // cannot run.
  virtual Expected<std::unique_ptr<Executable>> prepare(const Program& structured,
                                                        const PrepareOptions& how = {}) const = 0;
  // Prepares and runs once, with bindings of all devices.
  Expected<DeviceReport> run(const Program& structured, const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) const;
};

}  // namespace tessera
