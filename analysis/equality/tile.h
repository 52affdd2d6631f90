// Rectangles of field values, with bounds on their computation.
#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/equality/residues.h"
#include "analysis/shadow/rectangle.h"
#include "core/data/dtype.h"

namespace tessera::fields {

using shadow::Extents;

// Bound on the elements of a memory, for the verdict and its probability. May be larger than
// necessary.
struct Bound {
  // Max degree of numerator and denominator, as polynomials in inputs and unknown values.
  double degree = 0;
  double arguments = 0;  // number of function arguments on which one element depends
  // Bits of the sum of the absolute values of an integer polynomial's coefficients, for numerator
  // and denominator ...
  double height = 0;
  double denominator = 0;  // ... and for a denominator that is a power of ten
  // Degree and height of the difference of any two of these arguments.
  double argument_degree = 0, argument_height = 0;
  bool is_rational = false;  // there may be a denominator
  bool has_exponential = false;
  bool has_unknown = false;  // there are values of functions with only a name
  bool has_order = false;    // max or min was used
  // 0 / 0 or inf - inf: a random value that differs between the programs.
  bool has_no_value = false;
  bool is_truth = false;  // 0 or 1
  bool operator==(const Bound&) const = default;
};

// Bound on a value that depends on both. The degree is the larger one.
Bound joined(const Bound& a, const Bound& b);
// Bounds on a + the sum of `terms` values with bound b, and on a * b.
Bound sum_of(const Bound& a, const Bound& b, double terms = 1);
Bound product_of(const Bound& a, const Bound& b);
// Bound on the value of a function, which is a new unknown.
Bound value_at(const Bound& argument);

// Bounds on known numbers: an integer, a decimal as written (not a NaN).
Bound bound_of(std::int64_t integer);
Bound bound_of(double literal);

// Row-major. q is empty if no program of the comparison has an exponential.
struct Tile {
  std::vector<std::int64_t> shape;
  std::vector<Residue> p, q;
  Bound bound;

  std::int64_t elements() const { return static_cast<std::int64_t>(p.size()); }
  bool has_exponents() const { return !q.empty(); }
  Number at(std::size_t i) const { return {p[i], q.empty() ? 0 : q[i]}; }
  void put(std::size_t i, const Number& number) {
    p[i] = number.p;
    if (!q.empty()) q[i] = number.q;
  }

  // Required by analysis/shadow/tile.h and memory.h.
  auto columns() { return std::tie(p, q); }
  auto columns() const { return std::tie(p, q); }
  Tile like(const Extents& other) const { return {other, {}, {}, bound}; }
  bool is_machines() const { return p.empty(); }
  // True if all elements have the machine's values.
  bool has_machines() const {
    return std::all_of(p.begin(), p.end(), [](Residue value) { return value == as_in_machine; });
  }
  void simplify() {}
  // Called when elements of `tile` replace some, or all, elements of this plane. Updates the bound.
  void cover(const Tile& tile, bool is_whole);
};

// Operand of an op.
struct Operand : Tile {
  Operand() = default;
  Operand(Tile tile, DType dtype) : Tile(std::move(tile)), dtype(dtype) {}

  DType dtype = DType::f32;
  bool is_known = false;                 // an integer or literal that does not depend on floats
  std::vector<std::int64_t> integers{};  // values, if known and of an integer type
  double literal = 0;                    // value, if an f32 literal of the source

  auto columns() { return std::tie(p, q, integers); }
  auto columns() const { return std::tie(p, q, integers); }
  Operand like(const Extents& other) const {
    Operand operand(Tile::like(other), dtype);
    operand.is_known = is_known;
    operand.literal = literal;
    return operand;
  }
};

// Returns a tile with equal elements. has_exponents: with values modulo q.
Tile make_tile(std::vector<std::int64_t> shape, bool has_exponents, const Number& fill = {});
// True if no element is an infinity or `as_in_machine`.
bool all_finite(const Tile& tile);

}  // namespace tessera::fields
