// A kernel with the operands of each device, ready to run. Created by the collective operations.
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

// Options of all collectives.
struct CollectiveOptions {
  // Id of the kernel's barrier semaphore. Kernels that communicate differently and may run
  // concurrently need different ids.
  std::int64_t collective_id = 0;
  int calls = 1;       // consecutive launches of the kernel; at least 1
  std::string device;  // name of a device; empty: the best available device
  DeviceOptions run;   // machine profile, schedule and checks of the interpreter
};

// A kernel with its parameters and operands. Operands that the caller owns must outlive it.
struct Launch {
  std::string kernel;                  // name in kernels()
  Settings settings;                   // parameter values
  int calls = 1;                       // consecutive launches
  std::vector<DeviceBinding> devices;  // operands and results by name; the caller owns the inputs
  std::deque<Tensor> owned;            // tables, copies and results
  std::vector<std::string> notes;      // for the report, one sentence each

  // Creates a launch without parameters and operands, on devices 0 .. device_count - 1.
  Launch(std::string_view kernel_name, std::size_t device_count)
      : kernel(kernel_name), devices(device_count) {}

  // Sets a parameter of the kernel, in place of an earlier value.
  void set(std::string_view parameter, std::int64_t value);
  void set(std::string_view parameter, DType type);
  // Adds the caller's tensor, which must outlive the launch, as an operand of one device. Has no
  // effect if the device already has an operand with this name; the same applies to table() and
  // results(). device: must exist.
  void input(std::size_t device, std::string_view name, const Tensor& tensor);
  // Adds a tensor, owned by the launch, as an operand of every device.
  void table(std::string_view name, Tensor tensor);
  // Allocates the result `out` of every device, filled with zeros.
  void results(DType dtype, const Shape& shape);
  // Result of a device. Requires results().
  const Tensor& result(std::size_t device) const { return *devices[device].find("out")->second; }
};

// Returns the device with this name; the default device for an empty name. Never null. Fails for an
// unknown name (the message lists the known names and `other`), and with ErrorCode::environment if
// the device is not available.
Expected<const Device*> choose_device(const std::string& name, std::string_view other = {});
// Returns the executable from device.prepare(), and fails like it. The message of an
// ErrorCode::unsupported has the names of the device and the program.
Expected<std::unique_ptr<Executable>> prepared(const Device& device, const Program& program,
                                               const PrepareOptions& how = {});
// Returns the program of the launch in structured form. Fails if the kernel rejects the settings.
Expected<Program> make_program(const Launch& launch);
// Returns an input as the pointer type of a binding. The tensor is only read.
inline Tensor* input(const Tensor& tensor) { return const_cast<Tensor*>(&tensor); }
// Allocates a result with all bits set (NaN in float types), so that rows that no kernel writes are
// detected. The memory is not initialised if `run` ends before the first step.
Tensor unwritten(DType dtype, Shape shape, const DeviceOptions& run);
// Runs the launch on the device of the options, and writes its results. Defects of the program are
// findings in the report. Fails like choose_device, make_program, prepared and
// Executable::run_with_all.
Expected<DeviceReport> run(const Launch& launch, const CollectiveOptions& options);
// Runs the launch and returns the result of each device, by device number. Fails with the errors of
// `launch`, like run(), with the findings of the run, and if a limit or a signal ended it. Requires
// Launch::results().
Expected<std::vector<Tensor>> results(Expected<Launch> launch, const CollectiveOptions& options);

}  // namespace tessera
