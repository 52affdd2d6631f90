// The common functions of executables, with one that has only some devices of a run.
#include <gtest/gtest.h>

#include "devices/device.h"

namespace tessera {
namespace {

// Fills `out` of each of its devices with the device's index.
class SomeDevices : public Executable {
 public:
  explicit SomeDevices(std::vector<std::size_t> held) : held_(std::move(held)) {}
  std::vector<std::size_t> devices(std::size_t) const override { return held_; }
  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions&) override {
    EXPECT_EQ(bindings.size(), held_.size());
    for (std::size_t i = 0; i < bindings.size(); ++i)
      bindings[i].at("out")->as<std::int32_t>()[0] = static_cast<std::int32_t>(held_[i]);
    return DeviceReport{};
  }

 private:
  std::vector<std::size_t> held_;
};

TEST(Executable, takes_the_operands_of_the_devices_that_it_holds) {
  std::vector<Tensor> outs;
  for (int d = 0; d < 4; ++d) {
    outs.emplace_back(DType::i32, Shape{1});
    outs.back().as<std::int32_t>()[0] = -1;
  }
  std::vector<DeviceBinding> all;
  for (Tensor& out : outs) all.push_back({{"out", &out}});
  SomeDevices of_one_process({1, 3});
  ASSERT_TRUE(of_one_process.run_with_all(all, {}));
  const std::int32_t expected[] = {-1, 1, -1, 3};
  for (std::size_t d = 0; d < 4; ++d)
    EXPECT_EQ(outs[d].as<std::int32_t>()[0], expected[d]) << "device " << d;
}

TEST(Executable, a_device_without_operands_is_refused) {
  SomeDevices executable({2});
  const Expected<DeviceReport> report = executable.run_with_all({{}, {}}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.diags().front().message,
            "device 2 has no operands; found operands of 2 devices");
}

}  // namespace
}  // namespace tessera
