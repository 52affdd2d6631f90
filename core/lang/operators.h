// Ops for the operators of the language.
#pragma once
#include <cstddef>

#include "core/lang/ast_expression.h"
#include "core/program/op.h"

namespace tessera {

// Returns the op that computes `a op b` for two integers. op: any operator except the matrix
// product, for which it returns Nothing.
Op scalar_op(ast::Operator op, ValueId a, ValueId b);

// Returns the index in Op of the operator's tile op; 0 if tiles do not support the operator. For >
// and >=, returns the op to use with swapped operands. For !=, returns the op for ==.
std::size_t tile_op(ast::Operator op);

}  // namespace tessera
