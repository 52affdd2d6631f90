// Comparison of the results of a run with expected values.
#pragma once
#include <optional>
#include <vector>

#include "cli/args/expectations.h"
#include "core/report/diag.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/oracle/comparison.h"

namespace tessera::cli {

// An expectation, and the result that was compared with it.
struct ComparedResult {
  const Expectation* expected;
  const Tensor* got;
  ElementBounds bounds{};  // only with Rule::running_bound
  Comparison comparison{};
  // For the first element that differs and has no bound: the reason for the missing bound, and the
  // place of its origin.
  std::optional<Diag> why_unbounded{};

  // True if the element agrees with its expected value by the rule. Also true if it has no error
  // bound. element: position in storage order.
  bool is_right(std::int64_t element) const;
};

// Compares results with expectations, in their order; the returned objects point into the first two
// arguments. results: by device, with every expected buffer. With Rule::running_bound, the program
// runs once more with the same options to compute error bounds. Fails if that run fails, with
// ErrorCode::unsupported if the program has no error bounds, or if elements without a bound differ
// and no others are wrong. Rule::running_bound requires a simulated device and
// `options.interpreter`.
Expected<std::vector<ComparedResult>> compare(const std::vector<Expectation>& expectations,
                                              const std::vector<DeviceBinding>& results,
                                              Executable& executable, const DeviceOptions& options);

}  // namespace tessera::cli
