// One pass over a finished program: equal scalar computations are made once, unused ones not at
// all.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Keeps every statement that is not a scalar computation, and their order. Idempotent.
Program simplify(Program program);

// An op whose result depends only on its operands and on scalar memory, and that changes nothing.
bool is_pure(const Op& op);

}  // namespace tessera
