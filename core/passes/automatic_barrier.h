// The automatic barrier of a program that accesses other cores and declares no barrier. Kernels get
// such a barrier from their runtime.
#pragma once
#include "core/program/builder.h"

namespace tessera {

// True if the program declares no barrier, and copies or signals to other devices or to a core that
// it names.
bool needs_barrier(const Program& program);
// Declares and emits a barrier: every core signals every core of all devices and waits for as many
// signals. If `program` names no cores, the signals name only devices. call: scalar index of the
// launch in a sequence of launches, which alternate between two barriers; no_value: single launch.
void emit_barrier(Builder& builder, const Program& program, ValueId call = no_value);

}  // namespace tessera
