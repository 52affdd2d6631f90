// Where a program runs. A device takes the structured form of a program and makes an executable of
// it, or says why it cannot.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/machine/machine_hints.h"
#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"

namespace tessera {

struct RunOptions;  // interp/run.h
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

// A program made ready for a device: lowered and compiled once, run any number of times.
class Executable {
 public:
  virtual ~Executable() = default;
  // One binding for each device that takes part. Bad bindings are diagnostics, a faulty program is
  // a finding.
  virtual Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                                     const DeviceOptions& options) = 0;
  // What a report should say of the way in which it runs.
  virtual std::vector<std::string> notes() const { return {}; }
};

// What becomes of hints that the program's kernel cannot honour.
enum class UnusedHints : std::uint8_t { refused, ignored };

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  // Whether the device is here at all.
  virtual Support available() const = 0;
  // Whether it can run this program, also where the device is not here.
  virtual Support supports(const Program& structured) const = 0;
  // ErrorCode::environment where the device is not here, unsupported with the reason for what it
  // cannot run.
  virtual Expected<std::unique_ptr<Executable>> prepare(
      const Program& structured, const MachineHints& hints = {},
      UnusedHints unused = UnusedHints::refused) const = 0;
  // Prepares and runs once.
  Expected<DeviceReport> run(const Program& structured, const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) const;
};

}  // namespace tessera
