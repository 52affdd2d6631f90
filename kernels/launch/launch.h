// A kernel with the operands of each device, ready to run: what the collective operations make of
// their calls.
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

// Options that all collectives have.
struct CollectiveOptions {
  // Which barrier semaphore its kernel uses: kernels with different patterns of communication that
  // may run at once need different ids.
  std::int64_t collective_id = 0;
  int calls = 1;       // launches of the kernel back to back; at least 1
  std::string device;  // a device's name; empty: the best one there is
  DeviceOptions run;   // machine profile, schedule and checks of the interpreter
};

// A kernel, its parameters and its operands. Operands of the caller's must outlive it.
struct Launch {
  std::string kernel;                  // its name in kernels()
  Settings settings;                   // values of its parameters
  int calls = 1;                       // launches back to back
  std::vector<DeviceBinding> devices;  // operands and results by name; inputs are the caller's
  std::deque<Tensor> owned;            // tables, copies and results
  std::vector<std::string> notes;      // sentences for the report

  // A launch without parameters and operands, on devices 0 .. device_count - 1.
  Launch(std::string_view kernel_name, std::size_t device_count)
      : kernel(kernel_name), devices(device_count) {}

  // Sets a parameter of the kernel.
  void set(std::string_view parameter, std::int64_t value);
  void set(std::string_view parameter, DType type);
  // One tensor of the caller's as an operand of one device; it must outlive the launch.
  void input(std::size_t device, std::string_view name, const Tensor& tensor);
  // One tensor, which the launch then owns, as an operand of every device.
  void table(std::string_view name, Tensor tensor);
  // Allocates the result `out` of every device.
  void results(DType dtype, const Shape& shape);
  // The result of a device; after results().
  const Tensor& result(std::size_t device) const { return *devices[device].find("out")->second; }
};

// The device of that name; the fastest available one for an empty name. Errors are an unknown name,
// whose message lists the known ones and `other`, and a device that is not available
// (ErrorCode::environment).
Expected<const Device*> choose_device(const std::string& name, std::string_view other = {});
// device.prepare() with errors that name the device and the program.
Expected<std::unique_ptr<Executable>> prepared(const Device& device, const Program& program,
                                               const PrepareOptions& how = {});
// The program of the launch in structured form. Errors are settings that the kernel refuses.
Expected<Program> make_program(const Launch& launch);
// An operand as a binding has it; it is only read.
inline Tensor* input(const Tensor& tensor) { return const_cast<Tensor*>(&tensor); }
// A result's memory before the run: all bits set (NaN in float types), so that rows that no kernel
// writes are seen. Where `run` ends before the first step the memory is not touched.
Tensor unwritten(DType dtype, Shape shape, const DeviceOptions& run);
// Runs the launch; mistakes of the program are findings in the report. Errors are those of
// choose_device, make_program and prepared.
Expected<DeviceReport> run(const Launch& launch, const CollectiveOptions& options);
// Runs it and gives the result of each device, by device number; a finding is an error.
Expected<std::vector<Tensor>> results(Expected<Launch> launch, const CollectiveOptions& options);

}  // namespace tessera
