#include "devices/cuda/runtime/timer.h"

#include "core/report/try.h"

namespace tessera::cuda {
namespace {

constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // larger than any L2 cache

}  // namespace

Expected<std::shared_ptr<DeviceTimer>> DeviceTimer::make() {
  if (const Support here = driver_available(); !here.ok)
    return error(ErrorCode::environment, here.reason);
  std::shared_ptr<DeviceTimer> timer(new DeviceTimer());
  TRY(use_device(timer->context_));
  TRY(allocate(timer->flush_, flush_bytes));
  TRY(create_event(timer->begin_));
  TRY(create_event(timer->end_));
  return timer;
}

DeviceTimer::~DeviceTimer() {
  const ContextScope own(context_);
  if (flush_ != 0) release(flush_);
  for (const Event& event : {begin_, end_}) {
    if (event.handle != nullptr) destroy_event(event);
  }
}

Expected<double> DeviceTimer::seconds(const Enqueue& enqueue) {
  const ContextScope own(context_);
  TRY(own.entered());
  TRY(set_bytes(flush_, 0x5A, flush_bytes, nullptr));
  TRY(record(begin_, nullptr));
  TRY(enqueue());
  TRY(record(end_, nullptr));
  double seconds = 0;
  TRY(elapsed_seconds(seconds, begin_, end_));
  return seconds;
}

Expected<std::vector<double>> measure(Kernel& kernel, const DeviceOperands& operands, int rounds) {
  const std::shared_ptr<DeviceTimer> timer = TRY(DeviceTimer::make());
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const double took = TRY(timer->seconds([&] { return kernel.launch(operands, nullptr); }));
    if (round > 0) times.push_back(took);
  }
  TRY(kernel.check());
  return times;
}

}  // namespace tessera::cuda
