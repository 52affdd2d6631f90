// Tile ops over the field. + - * and matrix products are exact, a / b multiplies a by the inverse
// of b, and exp turns sums into products. Other functions have only congruence: their values at
// equal arguments are equal. max and min use a random order of the elements.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/equality/tile.h"
#include "core/data/splitmix.h"
#include "core/program/op_shapes.h"

namespace tessera::fields {

using shapes::Binary;
using shapes::Function;
using shapes::Integers;
using shapes::Reduction;

class Arithmetic {
 public:
  // draw: must outlive this object. has_exponents: tiles have values modulo q. apart: seed of
  // undefined values; different for each program.
  Arithmetic(const Draw& draw, bool has_exponents, std::uint64_t apart);

  const Draw& draw() const { return draw_; }
  bool has_exponents() const { return has_exponents_; }
  // Returns a new random value, for undefined elements and 0 / 0.
  Number apart() {
    const std::uint64_t bits = random_.next();
    return {draw_.p.drawn(bits), draw_.q.drawn(SplitMix::mix(bits))};
  }

  // Return op(a, b), and a or b by condition, of each element. All tiles must have the same shape.
  // Comparisons and conditions that are not known give unknown values. max and min are noted in
  // Draw::comparisons.
  Tile binary(Binary op, const Tile& a, const Tile& b);
  Tile select(const Tile& condition, const Tile& a, const Tile& b);
  // Returns e to the power of each element. Requires has_exponents().
  Tile exponential(const Tile& x);
  // Returns the values of a function with only a name: random, but equal for equal arguments.
  Tile unknown(std::string_view name, Tile x) const;
  // Returns the values of such a function of two arguments.
  Tile unknown(std::string_view name, const Tile& a, const Tile& b);
  // Return the reduction of a dimension, which must exist, to size 1: the sum, and the maximum or
  // minimum.
  Tile sum(const Tile& x, std::size_t dim);
  Tile outermost(bool wants_max, const Tile& x, std::size_t dim);
  // Returns the same maximum or minimum of truth values (0 and 1): 1 if any, or all, of them are 1.
  Tile of_truths(bool wants_max, const Tile& x, std::size_t dim);
  // Returns acc + a . b, one product per index of the leading dimensions. The shapes must match
  // (shadow::product_extents).
  Tile product(Tile acc, const Tile& a, const Tile& b);

 private:
  // bound: receives the reasons for values that are unknown or do not exist.
  Number no_value(Bound& bound);
  Number combined(Binary op, const Number& a, const Number& b, Bound& bound);
  Number quotient(const Number& a, const Number& b, Bound& bound);
  Number compared(Binary op, const Number& a, const Number& b, Bound& bound);
  Tile divided(const Tile& a, const Tile& b);
  void multiply(Tile& acc, const Tile& a, const Tile& b, const shadow::ProductExtents& of,
                std::int64_t product);
  Residue to_the_power(Residue exponent) const;

  const Draw& draw_;
  bool has_exponents_;
  SplitMix random_;
  // Powers of the generator: 0 to 1023, these times 2^10, and times 2^20.
  std::vector<Residue> powers_;
};

}  // namespace tessera::fields
