// What each operation does to errors. An operand X of exact arithmetic lies within its bound of the
// machine's x; the result's bound holds what that may change, to first and second order, and the
// machine's own rounding, which is known (Higham, Accuracy and Stability, ch. 3: running error
// analysis). What is compared with may have been computed with roundings of its own; they are added
// where they arise.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/running_error/tile.h"
#include "core/data/dtype.h"
#include "core/program/op_shapes.h"

namespace tessera::running_error {

using shapes::Binary;
using shapes::Function;
using shapes::Integers;
using shapes::Reduction;

// How a reference was computed: the numbers that results are compared with.
struct ReferenceModel {
  ReferenceModel(DType type, bool is_xla_cpu = false) : type(type), is_xla_cpu(is_xla_cpu) {}

  DType type;       // each operation was rounded to it
  bool is_xla_cpu;  // denormal operands and results are 0, and exp2(x) is exp(x * ln 2)
};

class Rules {
 public:
  // other: none: the reference is exact. sum_error: error of the reference's products of matrices
  // in addition, relative to the sum of all |terms|.
  Rules(std::optional<ReferenceModel> other, Reasons& reasons, double sum_error = 0)
      : other_(other), sum_error_(sum_error), reasons_(reasons) {}

  // Whose operations these are, for the reasons.
  void at(StmtId statement) { statement_ = statement; }
  Bound unknown(const std::string& why) { return reasons_.unknown(why, statement_); }

  // True if the reference flushes denormals to 0.
  bool flushes() const { return other_ && other_->is_xla_cpu; }
  // Returns the operand with a bound that includes 0 if the reference may have a denormal there.
  // Requires flushes().
  static Number flushed(const Number& x);
  // Of f32, computed in f32.
  Number binary(Binary op, const Number& a, const Number& b);
  // Of integers, some of which may be off. widest: the type in which they wrap.
  Number of_integers(Binary op, const Number& a, const Number& b, DType widest);
  Number select(const Number& condition, const Number& a, const Number& b);
  Number function(Function f, const Number& x);
  Number power(const Number& a, const Number& b);
  Number is_finite(const Number& x);
  // Of integers, computed in that type; of some that are off only whether they are 0 or 1 is used.
  Number of_bits(Integers op, const Number& a, const Number& b, DType type);
  // Cut off to an integer type: towards zero, or of integers to the low bits.
  Number cut_off(const Number& x, DType from, DType to);
  // An integer as f32.
  Number as_f32(const Number& x);
  // Stored in an element of that type. What is compared with may round there as well, or not.
  Number rounded(DType to, const Number& x);
  // In ascending order, in f32; and the largest or smallest.
  Number sum(const std::vector<Number>& terms, bool are_integers);
  Number outermost(bool wants_largest, const std::vector<Number>& terms);

  // acc + a . b, of [m, n], [m, k] and [k, n]: the bounds.
  std::vector<Bound> product(const Tile& acc, const Tile& a, const Tile& b);

 private:
  Number add(const Number& a, const Number& b);
  Number mul(const Number& a, const Number& b);
  Number div(const Number& a, const Number& b);
  Number chosen(bool wants_larger, const Number& a, const Number& b);
  Number compared(Binary op, const Number& a, const Number& b);
  Number made(float value, double carried, double own, double roundings = 1);
  Number truncated(const Number& x, DType to);
  double lost_elsewhere(double size, double roundings) const;

  std::optional<ReferenceModel> other_;
  double sum_error_;
  Reasons& reasons_;
  StmtId statement_;
};

}  // namespace tessera::running_error
