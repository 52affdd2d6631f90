#include "core/lang/operators.h"

namespace tessera {

Op scalar_op(ast::Operator op, ValueId a, ValueId b) {
  switch (op) {
    case ast::Operator::either:
      return Or{a, b};
    case ast::Operator::both:
      return And{a, b};
    case ast::Operator::equal:
      return Eq{a, b};
    case ast::Operator::not_equal:
      return Ne{a, b};
    case ast::Operator::less_equal:
      return Le{a, b};
    case ast::Operator::greater_equal:
      return Le{b, a};
    case ast::Operator::less:
      return Lt{a, b};
    case ast::Operator::greater:
      return Lt{b, a};
    case ast::Operator::limit:
      return Limit{a, b};
    case ast::Operator::add:
      return Add{a, b};
    case ast::Operator::subtract:
      return Sub{a, b};
    case ast::Operator::multiply:
      return Mul{a, b};
    case ast::Operator::divide:
      return Div{a, b};
    case ast::Operator::modulo:
      return Mod{a, b};
    case ast::Operator::product:
      break;
  }
  return Nothing{};
}

std::size_t tile_op(ast::Operator op) {
  switch (op) {
    case ast::Operator::add:
      return op_index<TileAdd>();
    case ast::Operator::subtract:
      return op_index<TileSub>();
    case ast::Operator::multiply:
      return op_index<TileMul>();
    case ast::Operator::divide:
      return op_index<TileDiv>();
    case ast::Operator::modulo:
      return op_index<TileMod>();
    case ast::Operator::less:
    case ast::Operator::greater:
      return op_index<TileLt>();
    case ast::Operator::less_equal:
    case ast::Operator::greater_equal:
      return op_index<TileLe>();
    case ast::Operator::equal:
    case ast::Operator::not_equal:
      return op_index<TileEq>();
    default:
      return 0;
  }
}

}  // namespace tessera
