// Runs cases of the fuzzer as commands.
#pragma once
#include <optional>

#include "fuzz/fuzz.h"

namespace tessera::cli {

// Runs the command, which checks its result. Returns none if the result is right, or if a stop was
// requested. Bad input is a failure too. If --seed is a multiple of 8 (default 0), the case is also
// replayed with its recorded schedule; if the replay differs, the failure is "nondeterminism".
std::optional<fuzz::Failure> try_command(const Invocation& a_case);

}  // namespace tessera::cli
