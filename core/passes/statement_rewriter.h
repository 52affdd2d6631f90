// Changes one statement of a program and inserts scalars and statements before it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

class StatementRewriter {
 public:
  StatementRewriter(Program program, StmtId statement);

  ValueId constant(std::int64_t integer);
  ValueId constant_real(double real);
  // Inserts an op before the statement, after the ops inserted so far, and returns its scalar
  // result.
  ValueId emit(Op op);
  // Inserts an op without a result.
  void add(Op op);
  // Returns an op without effect, to replace an op with an unused result. Statement indices do not
  // change.
  Op nothing() { return Require{constant(1), program_.texts.add("removed")}; }
  // Returns an op that stops the run when it is executed.
  Op refusal() { return Require{constant(0), program_.texts.add("reached")}; }
  // (value + 1) mod count
  ValueId next_of(ValueId value, ValueId count);

  Stmt& statement() { return program_.body[at_]; }
  const Program& program() const { return program_; }
  // Returns the program. Inserted statements have the source place of the statement.
  Program take();

 private:
  Program program_;
  StmtId at_;
  std::vector<Stmt> added_;
  ValueId first_added_;  // values from here on already have their final statement
};

}  // namespace tessera
