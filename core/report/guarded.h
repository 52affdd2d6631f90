// What a public entry does about work that cannot go on: memory that is not there, and a request to
// stop, are diagnostics. No caller is aborted, and none has to catch.
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

// Of the exception that is being handled: who asked for how much memory, during what, and how much
// there may be. Exceptions of other kinds, those of a caller's functions, pass on.
Diag given_up(std::string_view doing);

}  // namespace tessera
