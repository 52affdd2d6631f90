// What tile ops mean over the field. + - * and products of matrices are exact, a / b is a times the
// inverse of b, exp turns sums into products; of other functions only congruence is known: their
// values at equal arguments are equal. max and min follow a random order of the elements.
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
  // apart: of the values that nothing defines, other ones for each program.
  Arithmetic(const Draw& draw, bool has_exponents, std::uint64_t apart);

  const Draw& draw() const { return draw_; }
  bool has_exponents() const { return has_exponents_; }
  // A value that no other has: of what is undefined, and of 0 / 0.
  Number apart() {
    const std::uint64_t bits = random_.next();
    return {draw_.p.drawn(bits), draw_.q.drawn(SplitMix::mix(bits))};
  }

  // Of tiles of one shape.
  Tile binary(Binary op, const Tile& a, const Tile& b);
  Tile select(const Tile& condition, const Tile& a, const Tile& b);
  // e to the power of each element.
  Tile exponential(const Tile& x);
  // A function of which only the name is known.
  Tile unknown(std::string_view name, Tile x) const;
  // One of two arguments.
  Tile unknown(std::string_view name, const Tile& a, const Tile& b);
  // Along a dimension, which stays with size 1: the sum, and the largest or smallest.
  Tile sum(const Tile& x, std::size_t dim);
  Tile outermost(bool wants_max, const Tile& x, std::size_t dim);
  // The largest or smallest of 0 and 1: whether one of them is 1, or all are.
  Tile of_truths(bool wants_max, const Tile& x, std::size_t dim);
  // acc + a . b, one product for each index of the leading dimensions; the shapes go together.
  Tile product(Tile acc, const Tile& a, const Tile& b);

 private:
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
  std::vector<Residue> powers_;  // of the generator: of 0 to 1023, of these times 2^10, and 2^20
};

}  // namespace tessera::fields
