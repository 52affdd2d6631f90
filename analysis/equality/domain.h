// Shadow values for floats: numbers modulo a prime. Integers have the values of the machine, until
// an integer is stored that was computed from floats (by a comparison or a cast). Ops without a
// rule over the field are rejected.
#pragma once
#include "analysis/equality/arithmetic.h"
#include "analysis/equality/inputs.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/memory/storage.h"

namespace tessera::fields {

class FiniteFieldDomain {
 public:
  using Tile = fields::Tile;
  using Operand = fields::Operand;
  static constexpr const char* no_rule = " has no rule over the field";
  static constexpr const char* no_control =
      "whose values come from floats: this has no rule over the field";

  // apart: seed of undefined values. has_exponents: tiles contain q in addition to p.
  FiniteFieldDomain(const Draw& draw, std::uint64_t apart, bool has_exponents, Cuts cuts,
                    std::optional<Change> change)
      : inputs_(draw, std::move(cuts), std::move(change)),
        arithmetic_(draw, has_exponents, apart) {}

  void at(StmtId) {}
  static bool starts_with_machines(const Buffer& buffer) { return is_integer(buffer.dtype); }
  Tile machines(const Extents& shape) const {
    return filled(shape, {as_in_machine, as_in_machine});
  }
  Tile first(const Buffer& buffer, const Extents& shape, int device);
  Tile undefined(const Extents& shape);
  static Operand operand(Tile tile, DType type) { return {std::move(tile), type}; }
  void complete(Operand& operand, Storage& storage, const Box& box) const;

  Operand of_integer(std::int64_t integer) const;
  Operand of_literal(double literal) const;
  Operand of_real(std::int64_t integer) const;  // as f32
  static Operand prepared(Operand operand) { return operand; }
  static bool is_known(const Operand& operand) { return operand.is_known; }

  Tile binary(Binary kind, const Operand& a, const Operand& b, DType to);
  // type: element type of the computation.
  Tile integers(Integers kind, const Operand& a, const Operand& b, DType type, DType to);
  Tile function(Function kind, const Operand& x, DType to);
  Tile power(const Operand& a, const Operand& b, DType to);
  Tile select(Operand condition, const Operand& a, const Operand& b, DType to);
  Tile cast(Operand x, DType to) const;
  Tile truncate(Operand x, DType to) const;
  Tile iota(const Extents& shape, std::size_t dim, DType to) const;
  // Always fails with ErrorCode::unsupported.
  static Expected<Tile> bits(const Operand& x, const Extents& shape, DType to);
  // Fails with ErrorCode::unsupported for a maximum or minimum of integers other than truth values.
  Expected<Tile> reduce(Reduction kind, const Operand& x, std::size_t dim, DType to);
  Tile product(Operand acc, const Operand& a, const Operand& b);
  // Fails with ErrorCode::unsupported for integers.
  Expected<Tile> accumulated(const Operand& sum, const Operand& addend, DType to);

 private:
  Tile filled(const Extents& shape, const Number& number) const {
    return make_tile(shape, arithmetic_.has_exponents(), number);
  }
  // Tile of integers that the machine has, with value(i) for each element.
  template <typename Value>
  Tile of_integers(const Extents& shape, Value&& value) const;
  // The same op on integers computed from floats.
  Tile of_bits(Integers kind, const Tile& a, const Tile& b, DType type);
  Tile of_function(Function kind, const Tile& x);
  // Returns the tile as it is after a store to a type.
  Tile rounded(Tile tile, DType to) const;
  // Returns rounded(), or the tile unchanged if the type contains the values exactly (is_exact).
  Tile stored(Tile tile, DType to, bool is_exact) const {
    return is_exact ? tile : rounded(std::move(tile), to);
  }

  Inputs inputs_;
  Arithmetic arithmetic_;
};

}  // namespace tessera::fields
