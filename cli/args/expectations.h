// What the results of a run should be: --expect, --rtol and --atol.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/data/tensor.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/oracle/comparison.h"

namespace tessera::cli {

// A result of one device with what it should be.
struct Expectation {
  const Buffer* buffer;
  int device;
  std::string source;   // a file, or the numbers as they were given
  Tensor tensor;        // of the buffer's stored shape and of its family of types
  Tolerance tolerance;  // of floats
};

// An expectation, and the result that was compared with it.
struct ComparedResult {
  const Expectation* expected;
  const Tensor* got;
  Comparison comparison;
};

Options expectation_options();
// In the order of the devices, of each in that of the program's buffers. Errors are names that are
// no results, tensors that do not fit theirs, and floats without a tolerance. `program` must
// outlive the result.
Expected<std::vector<Expectation>> read_expectations(const Program& program,
                                                     const Arguments& arguments, int devices);
// The results point into both arguments.
std::vector<ComparedResult> compare(const std::vector<Expectation>& expectations,
                                    const std::vector<DeviceBinding>& results);

}  // namespace tessera::cli
