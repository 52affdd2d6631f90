// A run of the interpreter that computes nothing and is timed: what the events would take on the
// machine of a profile.
#pragma once
#include <memory>

#include "devices/device.h"
#include "devices/profiles/profile.h"

namespace tessera {

class TimedRun {
 public:
  explicit TimedRun(const Profile& profile);
  ~TimedRun();
  TimedRun(const TimedRun&) = delete;
  TimedRun& operator=(const TimedRun&) = delete;

  // For one run on the interpreter; they point into this object.
  DeviceOptions options() const;
  // After the run; an error when its order depends on counts that it reads.
  Expected<double> seconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
