// Exception handler of public functions, which neither abort nor throw. Converts missing memory and
// threads, stop requests and values that cannot be represented into errors.
//
//   Expected<Tensor> multiply(...) try {
//     ...
//   } catch (...) {
//     return given_up("multiplying");
//   }
#pragma once
#include <string_view>

#include "core/report/diag.h"

namespace tessera {

// Returns the error for the exception that is being handled. Must be called in a handler. For
// missing memory, calls MemoryCap::use_reserve().
// Missing memory (also std::length_error; with the requested bytes, if known, and the limit) and a
// thread that cannot be created: ErrorCode::environment. Interrupted: ErrorCode::interrupted.
// InvalidValue: ErrorCode::invalid_value, with its text.
// Rethrows all other exceptions, for example those of a caller's functions. doing: the work, for
// the message: "multiplying".
Diag given_up(std::string_view doing);

}  // namespace tessera
