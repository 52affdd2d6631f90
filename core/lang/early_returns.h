// `return` stands where a function ends.
#pragma once
#include "core/lang/ast.h"
#include "core/lang/token_reader.h"

namespace tessera {

// Reports each `return` that stands elsewhere; ends_function: the function ends where the block
// does.
void refuse_early_returns(const ast::Block& block, bool ends_function, TokenReader& tokens);

}  // namespace tessera
