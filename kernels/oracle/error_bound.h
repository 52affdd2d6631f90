// A-priori bound for the difference between a computed element and the reference. It follows only
// from the types, the number of terms and their magnitudes (Higham, Accuracy and Stability of
// Numerical Algorithms, chapter 3: sums of n terms in any order).
#pragma once  // public
#include <cstdint>

#include "core/data/dtype.h"
#include "kernels/oracle/reference.h"

namespace tessera {

// Arithmetic that the bound assumes. Sums may be in any order.
struct Arithmetic {
  DType accumulator = DType::f32;  // type of the sums
  bool integers = false;           // integer operands: exact sums of tiles, which are then added
  // Products are rounded: the two significands have more bits than the accumulator's.
  bool products_round = false;
  bool flushes = false;  // operands or products may be subnormal in f32, and may be flushed
  bool exact = false;    // sums are integers that the accumulator represents: no error
  // Relative and absolute error of partial sums that are sent in a narrower type, or added by units
  // that keep fewer bits.
  double wire = 0, wire_steps = 0;
  DType partial_sums = DType::f32;   // narrowest float type of partial sums
  double overflow = 0x1.FFFFFFp127;  // partial sums of at least this magnitude round to inf

  // Knowledge about the operands' values: none, or that they are the small integers of an integer
  // fill (kernels/inputs/fill.h).
  enum class Values : std::uint8_t { any, small_integers };
  // Returns the arithmetic for operands of these types, with sums stored as `out`.
  static Arithmetic of(DType lhs, DType rhs, DType out, Values values);
};

// Error bounds of the elements of one reference block, in the units of the elements. They do not
// include the rounding of the sum to the result's type (kernels/oracle/rounding.h).
class ErrorBound {
 public:
  // Both arguments must outlive this object.
  ErrorBound(const Arithmetic& arithmetic, const ReferenceBlock& block);

  // True if nothing is rounded: without terms and epilogue, for i32, and for small integers.
  bool is_exact() const { return is_exact_; }
  // Bound of an element. magnitude: sum of the magnitudes of its terms.
  double of_element(double magnitude) const;
  // Bound of the element's sum before the epilogue.
  double of_sum(double magnitude) const { return gamma_ * magnitude; }
  // Additional bound if subnormal operands or products may be flushed to zero. row, column:
  // position in the block.
  double of_flushing(std::int64_t row, std::int64_t column) const;

 private:
  const Arithmetic& arithmetic_;
  const ReferenceBlock& block_;
  bool is_exact_;
  double gamma_;        // fraction of the magnitude that the sum and later roundings may lose
  double gamma_after_;  // fraction that the roundings after the sum may lose
};

}  // namespace tessera
