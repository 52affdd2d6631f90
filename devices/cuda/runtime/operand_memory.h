// Operands and results of one run in GPU memory, with copies to and from the host.
#pragma once
#include <functional>
#include <string>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/runtime/driver.h"
#include "devices/device.h"

namespace tessera::cuda {

class OperandMemory {
 public:
  explicit OperandMemory(Context context) : context_(context) {}
  ~OperandMemory();
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  // Allocates all operands and copies the inputs. Results are filled with a bit pattern that no
  // kernel computes, so that unwritten elements are visible. Waits for the copies. Fails with
  // ErrorCode::invalid_value if the binding does not fit the program. Call it once.
  Expected<void> add_all(const Program& program, const DeviceBinding& binding);
  // Copies the results to the tensors of the binding. Requires add_all().
  Expected<void> take_results(const Program& program, const DeviceBinding& binding) const;
  // Addresses by buffer name.
  const DeviceAddresses& addresses() const { return addresses_; }

 private:
  Expected<void> add(const Buffer& buffer, const Tensor& tensor);

  const Context context_;
  DeviceAddresses addresses_;
};

// Measures the work that `enqueue` puts on the default stream, and waits for it. Requires a current
// context. Output: seconds on the device. Fails like `enqueue`.
Expected<void> timed(const std::function<Expected<void>()>& enqueue, double& seconds);

}  // namespace tessera::cuda
