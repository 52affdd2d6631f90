// Runs a program to compute error bounds.
#pragma once
#include <memory>
#include <optional>

#include "analysis/running_error/error_run.h"
#include "core/report/expected.h"
#include "interp/launch.h"

namespace tessera::running_error {

// Runs a program again and returns the error bounds of its results. run: an earlier run without
// findings; must outlive the result. Fails if rounding may change control flow, if memory is
// missing, or on a stop request.
Expected<std::unique_ptr<ErrorRun>> bounded(KeptRun& run, std::optional<ReferenceModel> other);

}  // namespace tessera::running_error
