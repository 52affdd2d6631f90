// `return` is allowed only at the end of a function.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/token_reader.h"

namespace tessera {

// Reports each `return` that is not the last statement of the function, or of a branch of a last
// `if`. ends_function: the block is at the end of the function. tokens: receives the errors.
void refuse_early_returns(const ast::Block& block, bool ends_function, TokenReader& tokens);

}  // namespace tessera
