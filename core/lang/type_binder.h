// Types of memory: element types, extents and spaces, as a program writes them. What is wrong is
// reported where it stands.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;

class TypeBinder {
 public:
  TypeBinder(Draft& draft, Names& names, Expressions& expressions);

  // A type by its name, a type parameter, or accumulator(T).
  std::optional<DType> dtype(const ast::Expression& node);
  // Of a call of `accumulator` with one or two types.
  std::optional<DType> accumulator_type(const ast::Call& node);
  std::optional<Space> space(const ast::Name& node);
  // Extents that are known; loc: of the whole type.
  std::optional<Shape> shape(const std::vector<ast::Expression>& extents, const Loc& loc);

 private:
  Draft& draft_;
  Names& names_;
  Expressions& expressions_;
};

}  // namespace tessera
