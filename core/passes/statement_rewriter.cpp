#include "core/passes/statement_rewriter.h"

#include <utility>

namespace tessera {

StatementRewriter::StatementRewriter(Program program, StmtId statement)
    : program_(std::move(program)), at_(statement), first_added_(program_.values.next()) {}

ValueId StatementRewriter::constant(std::int64_t integer) {
  return program_.values.add({.constant = true, .integer = integer});
}

ValueId StatementRewriter::constant_real(double real) {
  return program_.values.add({.kind = ValueKind::real, .constant = true, .real = real});
}

ValueId StatementRewriter::emit(Op op) {
  const ValueId result =
      program_.values.add({.statement = at_ + static_cast<std::int32_t>(added_.size())});
  add(std::move(op));
  added_.back().result = result;
  return result;
}

void StatementRewriter::add(Op op) {
  added_.push_back({.op = std::move(op), .place = statement().place, .loop = statement().loop});
}

ValueId StatementRewriter::next_of(ValueId value, ValueId count) {
  return emit(Mod{emit(Add{value, constant(1)}), count});
}

Program StatementRewriter::take() {
  const auto count = static_cast<std::int32_t>(added_.size());
  for (Stmt& stmt : program_.body)
    if (stmt.partner >= at_) stmt.partner = stmt.partner + count;
  for (const ValueId id : program_.values.ids()) {
    if (id == first_added_) break;
    StmtId& statement = program_.values[id].statement;
    if (statement >= at_) statement = statement + count;
  }
  std::vector<Stmt>& body = program_.body.entries();
  body.insert(body.begin() + at_.index, added_.begin(), added_.end());
  return std::move(program_);
}

}  // namespace tessera
