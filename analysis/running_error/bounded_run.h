// Runs a program to compute error bounds.
#pragma once
#include <memory>
#include <optional>

#include "analysis/running_error/error_run.h"
#include "core/report/expected.h"
#include "interp/launch.h"

namespace tessera::running_error {

// Runs a program again and returns the error bounds of its results. run: an earlier run without
// findings; must outlive the result. Its results are written again; its observers are removed, and
// its options for progress and recording are reset. other: the reference; empty: exact arithmetic.
// Fails with ErrorCode::unsupported if rounding may change control flow or an op has no rule, with
// ErrorCode::interrupted if the run is cut short or has a finding, and if memory is missing.
Expected<std::unique_ptr<ErrorRun>> bounded(KeptRun& run, std::optional<ReferenceModel> other);

}  // namespace tessera::running_error
