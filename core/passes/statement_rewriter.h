// Changes one statement of a program and inserts scalars and statements before it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// Usage: insert ops, change statement(), take().
class StatementRewriter {
 public:
  // statement: the statement of the program to change. The program must have been finished.
  StatementRewriter(Program program, StmtId statement);

  // Add a constant to the program and return its value.
  ValueId constant(std::int64_t integer);
  ValueId constant_real(double real);
  // Inserts an op before the statement, after the ops inserted so far, and returns its scalar
  // result.
  ValueId emit(Op op);
  // Inserts an op without a result at the same position.
  void add(Op op);
  // Returns an op without effect, to replace an op with an unused result. Statement indices do not
  // change. Adds a constant and a text to the program, like refusal().
  Op nothing() { return Require{constant(1), program_.texts.add("removed")}; }
  // Returns an op that stops the run when it is executed.
  Op refusal() { return Require{constant(0), program_.texts.add("reached")}; }
  // Inserts ops that compute (value + 1) mod count, and returns the result.
  ValueId next_of(ValueId value, ValueId count);

  // statement(): the statement to change. program(): the program without the inserted statements.
  Stmt& statement() { return program_.body[at_]; }
  const Program& program() const { return program_; }
  // Returns the program with the inserted statements, which have the source place of the statement.
  // Must be the last call.
  Program take();

 private:
  Program program_;
  StmtId at_;
  std::vector<Stmt> added_;
  ValueId first_added_;  // values from here on already have their final statement
};

}  // namespace tessera
