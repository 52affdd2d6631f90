// Times measured by the device's clock, each after its L2 cache was overwritten.
#pragma once
#include <memory>
#include <vector>

#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/workbench.h"

namespace tessera::cuda {

class DeviceTimer {
 public:
  // Fails with ErrorCode::environment without a GPU.
  static Expected<std::shared_ptr<DeviceTimer>> make();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  // Measures the work that `enqueue` puts on the default stream, in seconds; waits for it. Fails
  // like `enqueue`.
  Expected<double> seconds(const Enqueue& enqueue);

 private:
  DeviceTimer() = default;
  Context context_ = nullptr;
  std::uint64_t flush_ = 0;
  Event begin_, end_;
};

// Returns the times of `rounds` launches of a kernel in seconds, in order, after one launch to warm
// up. A finding of the kernel is an error (ErrorCode::runtime).
Expected<std::vector<double>> measure(Kernel& kernel, const DeviceOperands& operands, int rounds);

}  // namespace tessera::cuda
