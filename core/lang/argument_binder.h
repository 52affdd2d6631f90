// What a function's parameters are in a call.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;
class PlaceLowering;
class TypeBinder;

class ArgumentBinder {
 public:
  ArgumentBinder(Draft& draft, Names& names, Expressions& expressions, PlaceLowering& places,
                 TypeBinder& types);

  // The arguments in the order of the parameters, null where there is none; nothing after an error.
  std::optional<std::vector<const ast::Expression*>> arguments(const ast::Function& function,
                                                               const ast::Call& node);
  // A scalar parameter takes a value; `name: f32[dims]` takes memory of that type and names its
  // extents. A type that is no element type and not known yet is named as well: `a: T[m, k], b:
  // T[k, n]` takes two matrices of one type, whichever. False after an error.
  bool bind(const ast::Parameter& parameter, const ast::Expression& argument, Environment* into);

 private:
  bool bind_memory(const ast::Parameter& parameter, const Entity& value, const Loc& argument,
                   Environment* into);
  bool bind_dtype(const ast::Parameter& parameter, DType given, const Loc& argument);
  bool bind_extents(const ast::Parameter& parameter, const Slice& given, const Loc& argument);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Expressions& expressions_;
  PlaceLowering& places_;
  TypeBinder& types_;
};

}  // namespace tessera
