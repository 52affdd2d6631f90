// One statement of a program changed, with scalars and statements of its own in front of it.
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
  // In front of the statement, in the order of the calls; returns the op's scalar, ...
  ValueId emit(Op op);
  // ... or none of an op that has none.
  void add(Op op);
  // What does nothing, in the place of an op whose result nobody takes: all indices stay.
  Op nothing() { return Require{constant(1), program_.texts.add("removed")}; }
  // What ends the run where it is reached.
  Op refusal() { return Require{constant(0), program_.texts.add("reached")}; }
  // (value + 1) mod count
  ValueId next_of(ValueId value, ValueId count);

  Stmt& statement() { return program_.body[at_]; }
  const Program& program() const { return program_; }
  // The program; places in the source stay those of the statement.
  Program take();

 private:
  Program program_;
  StmtId at_;
  std::vector<Stmt> added_;
  ValueId first_added_;  // the values from here on know their statements
};

}  // namespace tessera
