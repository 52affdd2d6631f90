// Where a program runs. A device takes the structured form of a program, and either runs it or says
// why it cannot.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/expected.h"
#include "core/finding.h"
#include "core/machine_profile.h"
#include "core/program.h"
#include "core/tensor.h"

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

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  // Whether the device is here at all.
  virtual Support available() const = 0;
  // Whether it can run this program.
  virtual Support supports(const Program& structured) const = 0;
  // One binding for each device that takes part. Bad bindings are diagnostics, a faulty program is
  // a finding.
  virtual Expected<DeviceReport> run(const Program& structured,
                                     const std::vector<DeviceBinding>& bindings,
                                     const DeviceOptions& options) const = 0;
};

}  // namespace tessera
