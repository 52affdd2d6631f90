// How long a run takes on the machine of its profile: a discrete-event model of cores, copies and
// links. Cores and copies are timed by what they touch; semaphores order them, as they order the
// run. The events of one run are recorded and then played again in the order of time, so that what
// waits for a memory or a link waits in that order.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/machine/machine_rates.h"
#include "interp/observe/observer.h"

namespace tessera {

// Seconds of one core, and of the device that it belongs to.
struct DeviceTiming {
  double matrix = 0;      // the core multiplies tiles
  double vector = 0;      // other tile ops
  double control = 0;     // the overhead of its ops
  double waiting = 0;     // it waits for copies and other devices
  double memory = 0;      // the device's hbm moves data
  double links = 0;       // the busiest of the device's links sends
  double moving = 0;      // hbm or a link does
  double overlapped = 0;  // the core works while its hbm or a link does
};

// What no run of the program's products and operands can be faster than: products that are not
// padded at the matrix unit's peak, each byte of an operand that is read and each of a result that
// is written once through hbm, what the run sends over its busiest link. Of the slowest device.
struct Roofline {
  enum class By : std::uint8_t { matrix, hbm, links };
  double seconds = 0;
  By by = By::matrix;  // the one of these that takes longest
};

struct Timing {
  double seconds = 0;                 // until the last core and the last copy are done
  std::vector<DeviceTiming> devices;  // device by device, of each its cores
  Roofline roofline;
  // False when a wait never passed as the run is timed: it then took another path than any timed
  // one, as a program may that reads counts.
  bool is_complete = true;
};

class TimingRecord;
class TimelineListener;

// Observes one run; what it says is told after end(). Runs without arithmetic take the same time.
class TimingObserver : public Observer {
 public:
  explicit TimingObserver(const MachineRates& rates);
  ~TimingObserver() override;
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;

  // Before the run: who else is told of its timeline by end(). The caller's.
  void tell(TimelineListener& listener) { listeners_.push_back(&listener); }
  const Timing& timing() const { return timing_; }

 private:
  MachineRates rates_;
  std::vector<TimelineListener*> listeners_;
  std::unique_ptr<TimingRecord> record_;
  Timing timing_;
};

}  // namespace tessera
