#include "core/lang/parse_transfer.h"

#include <optional>
#include <utility>

namespace tessera {

// start SRC -> DST, SEM    or    start SRC -> DEVICE [core CORE]: DST, SENT, ARRIVED
ast::Statement::Form TransferParser::start(std::string name) {
  Loc loc = tokens_.loc(tokens_.take());
  ast::Expression source = expressions_.postfix();
  tokens_.expect("->", "and the destination of the copy");
  ast::Expression to = expressions_.expression();
  std::optional<ast::Expression> core;
  if (tokens_.accept("core")) core = expressions_.expression();
  if (!core && !tokens_.is(":")) {
    tokens_.expect(",", "and the semaphore that counts the bytes");
    ast::Expression semaphore = expressions_.postfix();
    const bool adds = tokens_.accept_here("add"), reshapes = tokens_.accept_here("reshaped");
    return ast::Start{std::move(loc), std::move(source), std::move(to),  std::move(semaphore),
                      adds,           reshapes,          std::move(name)};
  }
  tokens_.expect(":", "and the destination on that core");
  ast::Expression destination = expressions_.postfix();
  tokens_.expect(",", "and the send and the receive semaphore");
  ast::Expression sent = expressions_.postfix();
  tokens_.expect(",", "and the receive semaphore");
  ast::Expression arrived = expressions_.postfix();
  const bool adds = tokens_.accept_here("add"), reshapes = tokens_.accept_here("reshaped");
  return ast::StartRemote{
      std::move(loc),  std::move(source),  std::move(to),   std::move(destination),
      std::move(sent), std::move(arrived), std::move(core), adds,
      reshapes,        std::move(name)};
}

ast::Copy TransferParser::copy() {
  Loc loc = tokens_.loc(tokens_.take());
  ast::Expression source = expressions_.postfix();
  tokens_.expect("->", "and the destination of the copy");
  ast::Expression destination = expressions_.postfix();
  const bool reshapes = tokens_.accept_here("reshaped");
  return {std::move(loc), std::move(source), std::move(destination), reshapes};
}

ast::Statement::Form TransferParser::wait() {
  const bool is_wait = tokens_.is("wait");
  Loc loc = tokens_.loc(tokens_.take());
  ast::Expression semaphore = expressions_.postfix();
  if (is_wait && tokens_.accept_here("for"))
    return ast::WaitFor{std::move(loc), std::move(semaphore), expressions_.postfix()};
  const bool ends = tokens_.peek().line_before || tokens_.is(";") || tokens_.is("}");
  if (is_wait && ends && (semaphore.as<ast::Name>() || semaphore.as<ast::Member>()))
    return ast::WaitCopy{std::move(loc), std::move(semaphore)};
  tokens_.expect(",", "and the count, or `for` and the slice whose bytes are waited for");
  ast::Expression count = expressions_.expression();
  if (is_wait) return ast::Wait{std::move(loc), std::move(semaphore), std::move(count)};
  return ast::Await{std::move(loc), std::move(semaphore), std::move(count)};
}

ast::Signal TransferParser::signal() {
  Loc loc = tokens_.loc(tokens_.take());
  ast::Signal signal{std::move(loc), expressions_.postfix(), {}, {}, {}};
  if (tokens_.accept("on")) {
    signal.device = expressions_.expression();
    if (tokens_.accept("core")) signal.core = expressions_.expression();
  }
  tokens_.expect(",", "and the count");
  signal.count = expressions_.expression();
  return signal;
}

}  // namespace tessera
