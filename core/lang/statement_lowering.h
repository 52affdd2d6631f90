// Blocks and their statements: definitions, branches, what functions return, requirements. Those of
// loops, of stores and of transfers have classes of their own.
#pragma once
#include <string>
#include <vector>

#include "core/lang/blocks.h"
#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class ArrayWords;
class AssignmentLowering;
class DebugLowering;
class DeclarationLowering;
class Expressions;
class LoopLowering;
class RealArithmetic;
class ScopedMemory;
class TransferLowering;

class StatementLowering : public Blocks {
 public:
  StatementLowering(Draft& draft, Names& names, ScopedMemory& scoped, Expressions& expressions,
                    RealArithmetic& reals, ArrayWords& arrays, DeclarationLowering& declarations,
                    AssignmentLowering& assignments, LoopLowering& loops,
                    TransferLowering& transfers, DebugLowering& debug);

  void block(const ast::Block& node) override;
  // The declarations and the body of a function: what it returns, an empty record when it returns
  // nothing. Its parameters are bound in the names of now.
  Entity result_of(const ast::Function& function);

 private:
  void lower(const ast::ScopedDeclaration& node);
  void lower(const ast::CallStatement& node);
  void lower(const ast::TraceRegion& node);
  void lower(const ast::Require& node);
  void lower(const ast::Definition& node);
  void lower(const ast::If& node);
  void lower(const ast::Return& node);
  void lower(const ast::ReturnNamed& node);
  Entity result_of(const ast::Block& node);
  void define_value(const ast::Definition& node);
  bool refuse_return(const Loc& loc);
  std::vector<std::string> known_values(const ast::Expression& condition) const;

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  ScopedMemory& scoped_;
  Expressions& expressions_;
  RealArithmetic& reals_;
  ArrayWords& arrays_;
  DeclarationLowering& declarations_;
  AssignmentLowering& assignments_;
  LoopLowering& loops_;
  TransferLowering& transfers_;
  DebugLowering& debug_;
  bool in_function_ = false;
  Entity result_;  // of the function being inlined
};

}  // namespace tessera
