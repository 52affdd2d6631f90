// Exceptions at public entries: missing memory, a request to stop and a value that cannot be
// represented are returned as errors. Public entries neither abort nor throw.
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

// Error for the exception that is being handled: for missing memory the number of bytes requested,
// the work and the limit; for InvalidValue its text. Rethrows other exceptions, for example of a
// caller's functions.
Diag given_up(std::string_view doing);

}  // namespace tessera
