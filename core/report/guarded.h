// Exception handler of public functions, which neither abort nor throw. Converts missing memory,
// stop requests and values that cannot be represented into errors.
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

// Returns the error for the exception that is being handled: missing memory (with the number of
// bytes requested, if known, the work `doing` and the limit), a thread that cannot be created, a
// stop request (ErrorCode::interrupted), or InvalidValue (with its text). Rethrows other
// exceptions, for example those of a caller's functions.
Diag given_up(std::string_view doing);

}  // namespace tessera
