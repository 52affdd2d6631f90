// Tile arithmetic: every expression becomes ops that write a rectangle, the last one the target
// itself. `to` is where the result goes, or null for a temporary.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class CallLowering;
class Elaborator;
class ExpressionLowering;
class TypeBinder;

class TileLowering {
 public:
  explicit TileLowering(Elaborator& elaborator);

  // An expression over tiles. With `to`, the last op of a tile writes there and rounds to its type;
  // a number is not written.
  Entity tile(const ast::Expression& node, const Slice* to);
  // An operand of an elementwise op, and where it stands in the text if it does.
  struct Operand {
    Operand(const Slice& value, Loc place = {}) : slice(value), loc(std::move(place)) {}
    Slice slice;
    Loc loc;
  };
  // The elementwise op of the operands, into `to` or into a temporary of f32 or i32. Numbers and
  // dimensions of size 1 are repeated; an operand whose shape does not fit is an error at its
  // place.
  Entity elementwise(std::size_t op, const std::vector<Operand>& operands, const Loc& loc,
                     const Slice* to);
  // Whether the value can be repeated to the target's shape; false after an error at the value.
  bool fits(const Operand& value, const Slice& target);
  // An operator with a tile or a real on one side.
  Entity binary(const ast::Binary& node, const Entity& left, const Entity& right, const Slice* to);
  // A product that is not added to anything: an accumulator of its own, zero first.
  Entity matmul(const ast::Binary& node);
  void multiply_add(const Slice& acc, const ast::Binary& product);
  // cast(x): x rounded to the type of what it is stored to; cast(x, T): a temporary of type T.
  Entity cast(const ast::Call& call, const Slice* to);

  // A tile or a number, as a tile op takes it.
  std::optional<Slice> operand(const Entity& entity, const Loc& loc);
  std::optional<Slice> operand(const ast::Expression& node);
  Slice temporary(DType dtype, const Shape& bound, const std::vector<ValueId>& size);

 private:
  // A side of a matrix product, evaluated once; `transpose(x)` is read in place.
  struct Factor {
    Slice slice;
    bool is_transposed;
  };
  // What a dimension of a result is, of the operands so far.
  struct Extents {
    Shape bound;
    std::vector<ValueId> size;
  };
  std::optional<Factor> factor(const ast::Expression& node);
  bool add_factor(const Factor& side, std::size_t dim, const Loc& loc, Extents& result);
  bool broadcast(const Operand& operand, const Loc& loc, Extents& result);
  bool misfit(const Operand& operand, const std::string& shape, const Loc& loc,
              const std::string& wanted);

  Draft& draft_;
  Builder& builder_;
  ExpressionLowering& expressions_;
  CallLowering& calls_;
  TypeBinder& types_;
};

}  // namespace tessera
