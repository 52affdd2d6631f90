// The barrier that a program gets which reaches other cores and has none of its own, as kernels get
// it from their runtime.
#pragma once
#include "core/program/builder.h"

namespace tessera {

bool needs_barrier(const Program& program);
// Every core signals every core of all devices, and waits for as many; of devices alone where
// `program` names no cores. call: which of several launches in a row begins; no_value: there is
// one.
void emit_barrier(Builder& builder, const Program& program, ValueId call = no_value);

}  // namespace tessera
