// Rectangles of field values, and what is known of how they were made.
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

// Holds for each element of a memory, or more than holds: what the verdict and its probability
// need.
struct Bound {
  double degree = 0;     // of numerator and denominator as polynomials in inputs and unknown values
  double arguments = 0;  // of functions: how many one element depends on
  // The absolute values of an integer polynomial's coefficients, all together, as a number of bits:
  // of numerator and denominator, ...
  double height = 0;
  double denominator = 0;  // ... and of a denominator that is a power of ten
  // Degree and height of the difference of any two of these arguments.
  double argument_degree = 0, argument_height = 0;
  bool is_rational = false;  // there may be a denominator
  bool has_exponential = false;
  bool has_unknown = false;   // values of functions of which only the name is known
  bool has_order = false;     // max or min decided
  bool has_no_value = false;  // 0 / 0, inf - inf: drawn apart in each program
  bool is_truth = false;      // 0 or 1
  bool operator==(const Bound&) const = default;
};

// Of a value that depends on both; the degree is the larger one.
Bound joined(const Bound& a, const Bound& b);
Bound sum_of(const Bound& a, const Bound& b, double terms = 1);
Bound product_of(const Bound& a, const Bound& b);
// Of a function's value, which is a new unknown.
Bound value_at(const Bound& argument);

// Of numbers that are known: an integer, a decimal as it is written.
Bound bound_of(std::int64_t integer);
Bound bound_of(double literal);

// Row-major. q is empty where no program of the comparison has an exponential.
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

  // As analysis/shadow/tile.h and memory.h require.
  auto columns() { return std::tie(p, q); }
  auto columns() const { return std::tie(p, q); }
  Tile like(const Extents& other) const { return {other, {}, {}, bound}; }
  bool is_machines() const { return p.empty(); }
  // True if all elements are the machine's.
  bool has_machines() const {
    return std::all_of(p.begin(), p.end(), [](Residue value) { return value == as_in_machine; });
  }
  void simplify() {}
  // This plane has a tile's elements in place of some of its own, or of all.
  void cover(const Tile& tile, bool is_whole);
};

// An operand of an op.
struct Operand : Tile {
  Operand() = default;
  Operand(Tile tile, DType dtype) : Tile(std::move(tile)), dtype(dtype) {}

  DType dtype = DType::f32;
  bool is_known = false;  // an integer, or a number of the text: nothing of it comes from floats
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

Tile make_tile(std::vector<std::int64_t> shape, bool has_exponents, const Number& fill = {});
// Whether no element is an infinity.
bool all_finite(const Tile& tile);

}  // namespace tessera::fields
