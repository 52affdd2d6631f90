#include "devices/interpreter/timed_run.h"

#include "analysis/timeline/timing.h"
#include "interp/run.h"

namespace tessera {

struct TimedRun::State {
  explicit State(const Profile& given) : machine(given.machine), observer(given.rates) {
    options.math = Math::none;
    options.observers = {&observer};
  }
  MachineProfile machine;
  TimingObserver observer;
  RunOptions options;
};

TimedRun::TimedRun(const Profile& profile) : state_(std::make_unique<State>(profile)) {}
TimedRun::~TimedRun() = default;

DeviceOptions TimedRun::options() const { return {state_->machine, &state_->options}; }

Expected<double> TimedRun::seconds() const {
  const Timing& timing = state_->observer.timing();
  if (timing.devices.empty())
    return error(ErrorCode::runtime, "the run was cut short: its time cannot be modelled");
  if (timing.is_complete) return timing.seconds;
  return error(
      ErrorCode::unsupported,
      "its time cannot be modelled: the run depends on counts that it reads, or the profile "
      "gives no link_bandwidth for its copies to other devices");
}

}  // namespace tessera
