// The results of a run beside what is expected of them.
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
  ElementBounds bounds{};  // where those are the rule
  Comparison comparison{};
  // Why the bound of the first element that differs without one is not known, and where that began.
  std::optional<Diag> why_unbounded{};

  bool is_right(std::int64_t element) const;
};

// The results point into the first two arguments. Where an error bound is the rule the program runs
// once more for it, with the options of its run. Errors: a program whose errors nothing bounds, or
// elements that differ where nothing does, if no others are wrong; a second run that fails.
Expected<std::vector<ComparedResult>> compare(const std::vector<Expectation>& expectations,
                                              const std::vector<DeviceBinding>& results,
                                              Executable& executable, const DeviceOptions& options);

}  // namespace tessera::cli
