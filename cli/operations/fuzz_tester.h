// How a case of the fuzzer is run: as the command that it is.
#pragma once
#include <optional>

#include "fuzz/fuzz.h"

namespace tessera::cli {

// Runs the command, which judges its result; bad input is a failure too. One case of eight is run
// again by the schedule that it wrote down, which must lead through the same run: else
// "nondeterminism".
std::optional<fuzz::Failure> try_command(const Invocation& a_case);

}  // namespace tessera::cli
