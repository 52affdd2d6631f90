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

// Returns the error for the exception that is being handled. For missing memory it has the number
// of bytes requested, the work (`doing`) and the limit; for InvalidValue its text. Rethrows other
// exceptions, for example those of a caller's functions.
Diag given_up(std::string_view doing);

}  // namespace tessera
