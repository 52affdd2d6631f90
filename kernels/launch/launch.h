// A kernel with the operands of every device: what an operation makes of its call, and any device
// runs.
#pragma once  // public
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/lang/language.h"
#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// How a collective runs, whichever it is.
struct CollectiveOptions {
  std::int64_t collective_id = 0;  // one number for all kernels of one communication pattern
  int calls = 1;                   // that many launches of the kernel back to back
  std::string device;              // a device's name; empty: the best one there is
  DeviceOptions run;
};

struct Launch {
  std::string kernel;  // its name in kernels()
  Settings settings;
  int calls = 1;
  std::vector<DeviceBinding> devices;  // operands and results by name; inputs are the caller's
  std::deque<Tensor> owned;            // tables and results
  std::vector<std::string> notes;      // what the caller should know

  Launch(std::string_view kernel_name, std::size_t device_count)
      : kernel(kernel_name), devices(device_count) {}

  void set(std::string_view parameter, std::int64_t value);
  void set(std::string_view parameter, DType type);
  // One tensor of the caller's as an operand of one device; it must outlive the launch.
  void input(std::size_t device, std::string_view name, const Tensor& tensor);
  // The same tensor, or table, on every device.
  void table(std::string_view name, Tensor tensor);
  // The result `out` of every device.
  void results(DType dtype, const Shape& shape);
  const Tensor& result(std::size_t device) const { return *devices[device].find("out")->second; }
};

// The device by its name, if it is there at all; without a name the best one.
// `other`: what the caller takes beside devices, for the text of the error.
Expected<const Device*> choose_device(const std::string& name, std::string_view other = {});
// The program made ready for the device; the error names both where it cannot run it.
Expected<std::unique_ptr<Executable>> prepared(const Device& device, const Program& program,
                                               const PrepareOptions& how = {});
// The structured program of the launch.
Expected<Program> make_program(const Launch& launch);
// A binding's entry for an operand: inputs are only read.
inline Tensor* input(const Tensor& tensor) { return const_cast<Tensor*>(&tensor); }
// A result's memory before the run: no value that a kernel computes, so that a row nobody writes is
// seen. A launch alone, which writes nothing, leaves it untouched.
Tensor unwritten(DType dtype, Shape shape, const DeviceOptions& run);
// Runs it; what the program did wrong is in the report.
Expected<DeviceReport> run(const Launch& launch, const CollectiveOptions& options);
// Runs it and gives the result of each device; a finding is an error.
Expected<std::vector<Tensor>> results(Expected<Launch> launch, const CollectiveOptions& options);

}  // namespace tessera
