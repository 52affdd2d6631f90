// The CUDA device of a version that has none: it says so and runs nothing.
#include "devices/cuda/cuda_device.h"

namespace tessera {
namespace {

constexpr const char* reason = "this version of Tessera has no CUDA backend";

class UnavailableCuda final : public Device {
 public:
  std::string_view name() const override { return "cuda"; }
  Support available() const override { return {false, reason}; }
  Support supports(const Program&) const override { return {false, reason}; }
  Expected<DeviceReport> run(const Program&, const std::vector<DeviceBinding>&,
                             const DeviceOptions&) const override {
    return error(ErrorCode::environment, reason);
  }
};

}  // namespace

const Device& cuda_device() {
  static const UnavailableCuda device;
  return device;
}

}  // namespace tessera
