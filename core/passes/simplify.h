// Simplifies a finished program: computes equal scalar expressions once and removes unused ones.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Keeps all statements other than scalar computations, in their order. Idempotent.
Program simplify(Program program);

// True if the op's result depends only on its operands and on scalar memory, and the op has no
// effect.
bool is_pure(const Op& op);

}  // namespace tessera
