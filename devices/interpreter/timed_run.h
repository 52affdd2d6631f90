// A run of the interpreter without arithmetic that models the duration on the machine of a profile.
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

  // Options for one run on the interpreter. They refer to this object.
  DeviceOptions options() const;
  // Returns the modelled duration of the run on the profile's machine, in seconds. Fails with
  // ErrorCode::runtime before a run with options() and if it was cut short; with
  // ErrorCode::unsupported if the order of the run depends on counts that it reads, or if it uses a
  // link without a bandwidth in the profile.
  Expected<double> seconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
