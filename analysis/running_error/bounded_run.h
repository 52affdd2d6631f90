// A run of a program for the bounds of what it computes.
#pragma once
#include <memory>
#include <optional>

#include "analysis/running_error/error_run.h"
#include "core/report/expected.h"
#include "interp/launch.h"

namespace tessera::running_error {

// The bounds of the results of a run, which did not find anything when it ran; `run` lives longer.
// Errors: a program that takes control from what rounding may change, memory, a stop.
Expected<std::unique_ptr<ErrorRun>> bounded(KeptRun& run, std::optional<ReferenceModel> other);

}  // namespace tessera::running_error
