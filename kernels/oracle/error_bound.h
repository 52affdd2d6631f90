// How far a computed element may lie from the reference: an a-priori bound, which follows from the
// types, the number of terms and their magnitudes alone (Higham, Accuracy and Stability of
// Numerical Algorithms, chapter 3: sums of n terms in any order).
#pragma once  // public
#include <cstdint>

#include "core/data/dtype.h"
#include "kernels/oracle/reference.h"

namespace tessera {

// What arithmetic the bound assumes. Sums may be made in any order.
struct Arithmetic {
  DType accumulator = DType::f32;  // type of the sums
  bool integers = false;           // the operands are integers: sums of tiles are exact, then added
  // Products are rounded: both significands together do not fit into the accumulator's.
  bool products_round = false;
  bool flushes = false;  // operands or products may be subnormal in f32, and units may flush them
  bool exact = false;    // sums are whole numbers that the accumulator holds: no error at all
  // Relative and absolute error of partial sums that travel in a narrower type, or are added by
  // units that keep fewer bits.
  double wire = 0, wire_steps = 0;
  DType partial_sums = DType::f32;   // narrowest float type of partial sums
  double overflow = 0x1.FFFFFFp127;  // partial sums of at least this magnitude round to inf

  // What is known of the operands' values: nothing, or that they are the small integers of an
  // integer fill (kernels/inputs/fill.h).
  enum class Values : std::uint8_t { any, small_integers };
  // The arithmetic for operands of these types whose sums are stored as `out`.
  static Arithmetic of(DType lhs, DType rhs, DType out, Values values);
};

// The bounds of the elements of one block of a reference, in the units of the elements. What
// storing the sum in the result's type rounds is not in them (kernels/oracle/rounding.h).
class ErrorBound {
 public:
  // Both must outlive it.
  ErrorBound(const Arithmetic& arithmetic, const ReferenceBlock& block);

  // Nothing rounds: without terms nothing is computed, and i32 and whole numbers are exact.
  bool is_exact() const { return is_exact_; }
  // Of an element whose terms have this magnitude together.
  double of_element(double magnitude) const;
  // The same of its sum alone, before the epilogue.
  double of_sum(double magnitude) const { return gamma_ * magnitude; }
  // More where subnormal operands or products may be flushed to zero; the element's place in the
  // block.
  double of_flushing(std::int64_t row, std::int64_t column) const;

 private:
  const Arithmetic& arithmetic_;
  const ReferenceBlock& block_;
  bool is_exact_;
  double gamma_;        // share of the magnitude that the sum and what follows it may lose
  double gamma_after_;  // share that what follows the sum may lose
};

}  // namespace tessera
