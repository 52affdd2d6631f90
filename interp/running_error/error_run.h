// A run with a bound of the error beside each value: how far the machine's number may lie from what
// the same operations give in exact arithmetic, on the same operands. Integers that no float made
// are exact; where rounding may decide a branch of the program, nothing is known.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interp/beside/values_beside.h"
#include "interp/running_error/memory.h"
#include "interp/running_error/rules.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::running_error {

class ErrorRun final : public beside::ValuesBeside<Tile> {
 public:
  // other, sum_error: as Rules has them.
  explicit ErrorRun(std::optional<ReferenceModel> other, double sum_error = 0)
      : rules_(other, reasons_, sum_error) {}

  // Of a result on a device, in the order in which it is stored.
  std::vector<Bound> bounds(BufferId buffer, int device) const;
  // Of a rectangle where it is kept, as the run has come so far: row-major; empty: all are exact.
  std::vector<Bound> bounds(SiteId home, BufferId buffer, const Box& box) const {
    return memory_->bounds(home, buffer, box).bounds;
  }
  // Why a bound is not known, and where that began.
  Diag why(Bound unknown) const;

 private:
  void attached(Machine& machine) override { memory_.emplace(machine); }
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

  // Of the op at hand. A shape: that of the target, to which operands are repeated.
  Tile operand(const Slice& slice);
  Tile operand(const Slice& slice, const Extents& shape);
  Tile number(ValueId value);
  Tile with_known_values(Tile tile);
  Tile flushed(Tile tile) const;
  Tile as_f32(Tile tile);
  void put(const Slice& dst, Extents shape, std::vector<Bound> bounds);
  void leave_exact(const Slice& dst);
  // dst = make(i), rounded to its type.
  template <typename Make>
  void put_each(const Slice& dst, Make&& make);

  void binary(Binary op, const Slice& dst, const Slice& a, const Slice& b);
  void function(Function f, const Slice& dst, const Slice& src);
  void permute(const Slice& dst, const Slice& src, const std::vector<int>& order);
  void reduce(Reduction kind, std::int64_t dim, const Slice& dst, const Slice& src);
  void integers(tile::IntegerBinary op, const Slice& dst, const Slice& a, const Slice& b);
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
  void evaluate(const Exp& op) { function(Function::exp, op.dst, op.src); }
  void evaluate(const Log& op) { function(Function::log, op.dst, op.src); }
  void evaluate(const Tanh& op) { function(Function::tanh, op.dst, op.src); }
  void evaluate(const Erf& op) { function(Function::erf, op.dst, op.src); }
  void evaluate(const Rsqrt& op) { function(Function::rsqrt, op.dst, op.src); }
  void evaluate(const Erfc& op) { function(Function::erfc, op.dst, op.src); }
  void evaluate(const Exp2& op) { function(Function::exp2, op.dst, op.src); }
  void evaluate(const Expm1& op) { function(Function::expm1, op.dst, op.src); }
  void evaluate(const Log1p& op) { function(Function::log1p, op.dst, op.src); }
  void evaluate(const Logistic& op) { function(Function::logistic, op.dst, op.src); }
  void evaluate(const Sin& op) { function(Function::sin, op.dst, op.src); }
  void evaluate(const Cos& op) { function(Function::cos, op.dst, op.src); }
  void evaluate(const Sqrt& op) { function(Function::sqrt, op.dst, op.src); }
  void evaluate(const Floor& op) { function(Function::floor, op.dst, op.src); }
  void evaluate(const Ceil& op) { function(Function::ceil, op.dst, op.src); }
  void evaluate(const Round& op) { function(Function::round, op.dst, op.src); }
  void evaluate(const Sign& op) { function(Function::sign, op.dst, op.src); }
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
  // Scalar memory of integers, and what is no op on tiles.
  template <typename Op>
  void evaluate(const Op&) {
    refuse_tile_op(" has no rule for errors");
  }

  Reasons reasons_;
  Rules rules_;
  std::optional<Memory> memory_;
  std::map<std::pair<SiteId, ValueId>, Bound> reals_;  // that were loaded
};

}  // namespace tessera::running_error
