// Errors of work that did not come to its end.
#pragma once
#include <string_view>

#include "core/report/diag.h"
#include "interp/run_result.h"

namespace tessera {

// Error of ErrorCode::interrupted for work that a limit or a signal ended. The stop of the thread
// (core/report/stop.h) is set only if a signal did.
// end: not RunEnd::program. work: "the run".
Diag cut_off(RunEnd end, std::string_view work);

}  // namespace tessera
