// Errors for work that ended early.
#pragma once
#include <string_view>

#include "core/report/diag.h"
#include "interp/run_result.h"

namespace tessera {

// Returns an error with ErrorCode::interrupted for work that a limit or a signal ended. Only a
// signal also sets the stop flag of the thread (core/report/stop.h). end: must not be
// RunEnd::program. work: for example "the run".
Diag cut_off(RunEnd end, std::string_view work);

}  // namespace tessera
