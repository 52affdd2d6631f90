#include "core/lang/early_returns.h"

namespace tessera {

// Functions are inlined, and programs have no jump out of a function. So `return` only specifies
// the result, at the end of the function.
void refuse_early_returns(const ast::Block& block, bool ends_function, TokenReader& tokens) {
  for (const ast::Statement& statement : block.statements) {
    const bool is_end = ends_function && &statement == &block.statements.back();
    if ((statement.as<ast::Return>() || statement.as<ast::ReturnNamed>()) && !is_end)
      tokens.report(statement.loc(),
                    "`return` cannot leave a function early: expected it as the last statement, or "
                    "in the branches of a last `if`");
    if (const auto* branch = statement.as<ast::If>()) {
      refuse_early_returns(branch->then, is_end, tokens);
      if (branch->otherwise) refuse_early_returns(*branch->otherwise, is_end, tokens);
    }
    if (const auto* loop = statement.as<ast::For>())
      refuse_early_returns(loop->body, false, tokens);
    if (const auto* loop = statement.as<ast::While>())
      refuse_early_returns(loop->body, false, tokens);
    if (const auto* pipeline = statement.as<ast::Pipeline>())
      refuse_early_returns(pipeline->body, false, tokens);
    if (const auto* region = statement.as<ast::TraceRegion>())
      refuse_early_returns(region->body, false, tokens);
  }
}

}  // namespace tessera
