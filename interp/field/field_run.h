// A run over a field: an observer that computes beside the machine, with numbers modulo a prime
// where the program has floats. The machine itself needs no arithmetic then: addresses, amounts,
// masks and integers are its own. What has no rule over the field is refused, never guessed.
#pragma once
#include <map>
#include <optional>

#include "interp/beside/values_beside.h"
#include "interp/field/memory.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::fields {

class FieldRun final : public beside::ValuesBeside<Tile> {
 public:
  // apart: the seed of what is undefined. has_exponents: q is carried beside p.
  FieldRun(const Draw& draw, std::uint64_t apart, bool has_exponents, Cuts cuts,
           std::optional<Change> change)
      : inputs_(draw, std::move(cuts), std::move(change)),
        arithmetic_(draw, has_exponents, apart) {}

  // The result of that name on a device; the machine is still there.
  Tile result(BufferId buffer, int device);

 private:
  void attached(Machine& machine) override;
  Tile taken(const Event& event) override;
  void landed(const Event& event, const Tile& tile) override;
  void added(const Event& event, const Tile& tile) override;
  Tile part_of(const Tile& tile, const Box& whole, const Box& part) override;
  void forgotten(SiteId home, BufferId buffer) override { memory_->forget(home, buffer); }
  void undefined(SiteId home, BufferId buffer, const Box& box) override {
    memory_->undefine(home, buffer, box);
  }
  void load(const Event& event) override;
  void compute(const Event& event) override;
  // Of shapes that no machine could take.
  void refuse_operands() { refuse("operands do not fit each other", ErrorCode::invalid_value); }

  // Of the op at hand.
  Operand operand(const Slice& slice);
  Operand number(ValueId value);
  // Repeated to the shape of the target.
  Operand operand(const Slice& slice, const std::vector<std::int64_t>& shape);
  void put(const Slice& dst, Tile tile);
  void put_rounded(const Slice& dst, Tile tile);
  // In the machine, which computes integers itself.
  void leave(const Slice& dst) { put(dst, {}); }

  void binary(Binary kind, const Slice& dst, const Slice& a, const Slice& b);
  void integers(Binary kind, const Slice& dst, const Operand& a, const Operand& b);
  void function(std::string_view name, const Slice& dst, const Slice& src);
  void permute(const Slice& dst, const Slice& src, const std::vector<int>& order);
  enum class Reduction : std::uint8_t { sum, max, min };
  void reduce(Reduction kind, std::int64_t dim, const Slice& dst, const Slice& src);
  void integers(tile::IntegerBinary kind, const Slice& dst, const Slice& a, const Slice& b);
  void integers(tile::IntegerBinary kind, const Slice& dst, const Operand& a, const Operand& b,
                DType type);
  void evaluate(const TileAdd& op) { binary(Binary::add, op.dst, op.a, op.b); }
  void evaluate(const TileSub& op) { binary(Binary::sub, op.dst, op.a, op.b); }
  void evaluate(const TileMul& op) { binary(Binary::mul, op.dst, op.a, op.b); }
  void evaluate(const TileDiv& op) { binary(Binary::div, op.dst, op.a, op.b); }
  void evaluate(const TileMin& op) { binary(Binary::min, op.dst, op.a, op.b); }
  void evaluate(const TileMax& op) { binary(Binary::max, op.dst, op.a, op.b); }
  void evaluate(const TileLt& op) { binary(Binary::lt, op.dst, op.a, op.b); }
  void evaluate(const TileLe& op) { binary(Binary::le, op.dst, op.a, op.b); }
  void evaluate(const TileEq& op) { binary(Binary::eq, op.dst, op.a, op.b); }
  void evaluate(const TileSelect& op);
  void evaluate(const Cast& op);
  void evaluate(const TileIota& op);
  void evaluate(const Exp& op);
  void evaluate(const Log& op) { function("log", op.dst, op.src); }
  void evaluate(const Tanh& op) { function("tanh", op.dst, op.src); }
  void evaluate(const Erf& op) { function("erf", op.dst, op.src); }
  void evaluate(const Rsqrt& op) { function("rsqrt", op.dst, op.src); }
  void evaluate(const Floor& op) { function("floor", op.dst, op.src); }
  void evaluate(const Ceil& op) { function("ceil", op.dst, op.src); }
  void evaluate(const Round& op) { function("round", op.dst, op.src); }
  void evaluate(const Sign& op) { function("sign", op.dst, op.src); }
  void evaluate(const Sqrt& op) { function("sqrt", op.dst, op.src); }
  void evaluate(const Sin& op) { function("sin", op.dst, op.src); }
  void evaluate(const Cos& op) { function("cos", op.dst, op.src); }
  void evaluate(const Exp2& op) { function("exp2", op.dst, op.src); }
  void evaluate(const Erfc& op);
  void evaluate(const Expm1& op);
  void evaluate(const Log1p& op);
  void evaluate(const Logistic& op);
  void evaluate(const IsFinite& op);
  void evaluate(const Pow& op);
  void evaluate(const Truncate& op);
  void evaluate(const TileMod& op) { integers(tile::IntegerBinary::mod, op.dst, op.a, op.b); }
  void evaluate(const TileQuotient& op) {
    integers(tile::IntegerBinary::quotient, op.dst, op.a, op.b);
  }
  void evaluate(const TileRemainder& op) {
    integers(tile::IntegerBinary::remainder, op.dst, op.a, op.b);
  }
  void evaluate(const TileBitAnd& op) {
    integers(tile::IntegerBinary::bit_and, op.dst, op.a, op.b);
  }
  void evaluate(const TileBitOr& op) { integers(tile::IntegerBinary::bit_or, op.dst, op.a, op.b); }
  void evaluate(const TileBitXor& op) {
    integers(tile::IntegerBinary::bit_xor, op.dst, op.a, op.b);
  }
  void evaluate(const TileShiftLeft& op) {
    integers(tile::IntegerBinary::shift_left, op.dst, op.a, op.b);
  }
  void evaluate(const TileShiftRight& op) {
    integers(tile::IntegerBinary::shift_right, op.dst, op.a, op.b);
  }
  void evaluate(const TileBitNot& op);
  void evaluate(const Scaled& op);
  void evaluate(const Regroup& op);
  void evaluate(const Every& op);
  void evaluate(const Bitcast& op);
  void evaluate(const Transpose& op) { permute(op.dst, op.src, {1, 0}); }
  void evaluate(const Permute& op);
  void evaluate(const RowSum& op) { reduce(Reduction::sum, 1, op.dst, op.src); }
  void evaluate(const RowMax& op) { reduce(Reduction::max, 1, op.dst, op.src); }
  void evaluate(const ColSum& op) { reduce(Reduction::sum, 0, op.dst, op.src); }
  void evaluate(const ColMax& op) { reduce(Reduction::max, 0, op.dst, op.src); }
  void evaluate(const TileReduceSum& op) { reduce(Reduction::sum, op.dim, op.dst, op.src); }
  void evaluate(const TileReduceMax& op) { reduce(Reduction::max, op.dim, op.dst, op.src); }
  void evaluate(const TileReduceMin& op) { reduce(Reduction::min, op.dim, op.dst, op.src); }
  void evaluate(const Matmul& op);
  void evaluate(const Store& op);
  void evaluate(const Pad& op);
  // An integer op of operands that the machine does not know.
  Tile of_integers(tile::IntegerBinary kind, const Operand& a, const Operand& b, DType type);
  // Of a number that all elements are.
  Tile filled(const std::vector<std::int64_t>& shape, std::int64_t number);
  // Scalar memory of integers, and what is no op on tiles.
  template <typename Op>
  void evaluate(const Op&) {
    refuse_tile_op(" has no rule over the field");
  }

  Inputs inputs_;
  Arithmetic arithmetic_;
  std::optional<Memory> memory_;
  std::map<std::pair<SiteId, ValueId>, Tile> reals_;  // that were loaded
};

}  // namespace tessera::fields
