#include "devices/cuda/runtime/timer.h"

namespace tessera::cuda {
namespace {

constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // several times any L2 cache

}  // namespace

Expected<std::shared_ptr<DeviceTimer>> DeviceTimer::make() {
  if (const Support here = driver_available(); !here.ok)
    return error(ErrorCode::environment, here.reason);
  std::shared_ptr<DeviceTimer> timer(new DeviceTimer());
  if (auto problem = use_device(timer->context_)) return *problem;
  if (auto problem = allocate(timer->flush_, flush_bytes)) return *problem;
  if (auto problem = create_event(timer->begin_)) return *problem;
  if (auto problem = create_event(timer->end_)) return *problem;
  return timer;
}

DeviceTimer::~DeviceTimer() {
  const ContextScope own(context_);
  if (flush_ != 0) release(flush_);
  for (const Event& event : {begin_, end_}) {
    if (event.handle != nullptr) destroy_event(event);
  }
}

Expected<double> DeviceTimer::seconds(const std::function<Problem()>& enqueue) {
  const ContextScope own(context_);
  if (own.problem()) return *own.problem();
  if (auto problem = set_bytes(flush_, 0x5A, flush_bytes, nullptr)) return *problem;
  if (auto problem = record(begin_, nullptr)) return *problem;
  if (auto problem = enqueue()) return *problem;
  if (auto problem = record(end_, nullptr)) return *problem;
  double seconds = 0;
  if (auto problem = elapsed_seconds(seconds, begin_, end_)) return *problem;
  return seconds;
}

Expected<std::vector<double>> measure(Kernel& kernel, const DeviceOperands& operands, int rounds) {
  const Expected<std::shared_ptr<DeviceTimer>> timer = DeviceTimer::make();
  if (!timer) return timer.diags();
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const Expected<double> took =
        (*timer)->seconds([&] { return kernel.launch(operands, nullptr); });
    if (!took) return took.diags();
    if (round > 0) times.push_back(*took);
  }
  if (auto problem = kernel.check()) return *problem;
  return times;
}

}  // namespace tessera::cuda
