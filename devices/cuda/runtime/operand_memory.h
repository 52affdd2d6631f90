// Operands and results of one run in a GPU's memory, copied from and to the host.
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

  // Inputs are copied; results are filled with a pattern that no kernel computes, so that what is
  // not written is seen. An error if the binding does not fit the program.
  Expected<void> add_all(const Program& program, const DeviceBinding& binding);
  // Copies the results back.
  Expected<void> take_results(const Program& program, const DeviceBinding& binding) const;
  // By the names of the program's buffers.
  const DeviceAddresses& addresses() const { return addresses_; }

 private:
  Expected<void> add(const Buffer& buffer, const Tensor& tensor);

  const Context context_;
  DeviceAddresses addresses_;
};

// Seconds that what `enqueue` puts on the default stream takes there; waits for it.
Expected<void> timed(const std::function<Expected<void>()>& enqueue, double& seconds);

}  // namespace tessera::cuda
