// Runs an expanded program on the simulated machine. A run is a pure function of (program, inputs,
// schedule).
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// Bad bindings, a `require` that fails at launch, unknown schedules and ops that leave open which
// of several cores they mean are diagnostics; what the program does wrong is a finding in the
// result.
// Memory that is not there is one as well (ErrorCode::environment), unless the run ended for it
// after its first step: then the result tells how far it came.
Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options);

}  // namespace tessera
