// Execution of ops: one exec() for each row of ops.def without a shape (by_shape.h) that is neither
// scalar (scalar_ops.h) nor control (code.cpp). A row without its exec() is a link error.
#pragma once
#include "core/program/op.h"

namespace tessera {

class Core;

enum class Step : std::uint8_t {
  next,   // done
  block,  // nothing happened; retry after the semaphore has changed
  stop,   // a finding ended the run
  skip    // the region that the op begins is done, including its end
};

#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  Step exec(const Struct& op, Core& core);
#include "core/program/ops.def"
#undef OP

using Exec = Step (*)(const Op& op, Core& core);
// Functions by the number of the op; null for ops that the dispatch loop executes itself.
extern const Exec exec_table[];

}  // namespace tessera
