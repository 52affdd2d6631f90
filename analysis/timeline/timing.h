// Models the duration of a run on the machine of its profile: a discrete-event model of cores,
// copies and links. The duration of work and copies depends on the accessed data; semaphores order
// them as in the run. The events of one run are recorded and then replayed in the order of time, so
// that copies queue at memories and links in this order.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/machine/machine_rates.h"
#include "interp/observe/observer.h"

namespace tessera {

// Seconds of one core, and of its device.
struct DeviceTiming {
  double matrix = 0;      // matrix products
  double vector = 0;      // other tile ops
  double control = 0;     // overhead of ops
  double waiting = 0;     // waits for copies and other devices
  double memory = 0;      // transfers of the device's hbm
  double links = 0;       // transfers of the device's busiest link
  double moving = 0;      // transfers of hbm or any link
  double overlapped = 0;  // work of the core during `moving`
};

// Lower bound for the duration of any run with these products and operands, on the slowest device.
// It is the maximum of three times: products without padding at the peak rate of the matrix unit;
// bytes of operands that are read and of results that are written, each once through hbm; and the
// run's transfers over its busiest link.
struct Roofline {
  enum class By : std::uint8_t { matrix, hbm, links };
  double seconds = 0;
  By by = By::matrix;  // the maximum
};

struct Timing {
  double seconds = 0;                 // end of the last core and the last copy
  std::vector<DeviceTiming> devices;  // one entry per core, by device
  Roofline roofline;
  // False if a wait is not satisfied in the timed order: the run would take another path, as in
  // programs that read counts. Also false if a copy uses a link without a bandwidth in the profile.
  bool is_complete = true;
};

class TimingRecord;
class TimelineListener;

// Times one run at a time. timing() requires end(); all its times are 0, and is_complete is true,
// if the run was cut short (RunResult::end). Runs without arithmetic take the same time.
class TimingObserver : public Observer {
 public:
  explicit TimingObserver(const MachineRates& rates);
  ~TimingObserver() override;
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;

  // Adds a listener for the timeline, which end() computes. Call it before the run. The listener
  // must outlive the run.
  void tell(TimelineListener& listener) { listeners_.push_back(&listener); }
  const Timing& timing() const { return timing_; }

 private:
  MachineRates rates_;
  std::vector<TimelineListener*> listeners_;
  std::unique_ptr<TimingRecord> record_;
  Timing timing_;
};

}  // namespace tessera
