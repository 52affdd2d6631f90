// The ops that an operator of the language stands for.
#pragma once
#include <cstddef>

#include "core/lang/ast_expression.h"
#include "core/program/op.h"

namespace tessera {

// Of two integers; any operator but the matrix product.
Op scalar_op(ast::Operator op, ValueId a, ValueId b);

// The position in Op of what an operator does with tiles, or 0 when it is not defined for them. Of
// > and >= it is the op of the operands swapped, of != that of the opposite.
std::size_t tile_op(ast::Operator op);

}  // namespace tessera
