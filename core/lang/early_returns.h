// `return` is allowed only at the end of a function.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/token_reader.h"

namespace tessera {

// Reports each `return` in another position. ends_function: the block is at the end of the
// function.
void refuse_early_returns(const ast::Block& block, bool ends_function, TokenReader& tokens);

}  // namespace tessera
