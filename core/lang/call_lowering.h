// Calls: ops by their mnemonic, the words of the language, functions of the file and of the library
// (inlined).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class ArgumentBinder;
class Expressions;
class Functions;
class PlaceLowering;
class StatementLowering;
class TileLowering;
class WordLowering;

class CallLowering {
 public:
  CallLowering(Draft& draft, Names& names, Functions& functions, Expressions& expressions,
               PlaceLowering& places, TileLowering& tiles, WordLowering& words,
               ArgumentBinder& arguments, StatementLowering& statements);

  // `to`: where a tile goes, or null for a temporary.
  Entity call(const ast::Call& node, const Slice* to = nullptr);
  Entity call(const ast::MemberCall& node);
  Entity view_as(const ast::ViewAs& node);

 private:
  class Inlined;
  Entity call_function(const ast::Function& function, const ast::Call& node);
  Entity call_closure(const Entity& closure, const std::vector<ast::Expression>& arguments,
                      const Loc& loc);
  Entity call_op(const Op& prototype, const ast::Call& node);
  bool set_field(Op& op, const FieldInfo& f, const ast::Expression& argument);
  bool may_call(const Loc& loc);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Functions& functions_;
  Expressions& expressions_;
  PlaceLowering& places_;
  TileLowering& tiles_;
  WordLowering& words_;
  ArgumentBinder& arguments_;
  StatementLowering& statements_;
  int depth_ = 0;  // of nested calls
  std::int64_t calls_ = 0;
};

}  // namespace tessera
