// Simplifies a finished program: computes equal scalar expressions once and removes unused ones.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Returns the program without repeated and unused pure ops (is_pure()), which include loads and
// views. All other statements stay, in order; statements and values are renumbered. Idempotent. The
// program must have been finished (Builder::finish()).
Program simplify(Program program);

// True if the op's result depends only on its operands and on scalar memory, and the op has no
// effect: scalar ops, loads, searches and views.
bool is_pure(const Op& op);

}  // namespace tessera
