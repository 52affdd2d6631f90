// Error propagation of each operation. The exact operand X is within the bound of the machine's
// operand x. The bound of a result covers the effect of the operands' errors, to first and second
// order, and the machine's own rounding, which is known (Higham, Accuracy and Stability, ch. 3:
// running error analysis). The reference may have been rounded as well; its roundings are added at
// the operation where they arise.
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

// The computation of a reference, with which results are compared.
struct ReferenceModel {
  ReferenceModel(DType type, bool is_xla_cpu = false) : type(type), is_xla_cpu(is_xla_cpu) {}

  DType type;       // each operation was rounded to this type
  bool is_xla_cpu;  // denormal operands and results are 0, and exp2(x) is exp(x * ln 2)
};

class Rules {
 public:
  // other: empty: the reference is exact. reasons: receives the reasons for unknown bounds; must
  // outlive this object. sum_error: additional error of the reference's matrix products, relative
  // to the sum of all |terms|.
  Rules(std::optional<ReferenceModel> other, Reasons& reasons, double sum_error = 0)
      : other_(other), sum_error_(sum_error), reasons_(reasons) {}

  // Sets the statement of the following operations, for the reasons.
  void at(StmtId statement) { statement_ = statement; }
  // Returns the unknown bound for a reason at that statement.
  Bound unknown(const std::string& why) { return reasons_.unknown(why, statement_); }

  // True if the reference flushes denormals to 0.
  bool flushes() const { return other_ && other_->is_xla_cpu; }
  // Returns the operand with a bound that includes 0 if the reference may have a denormal there.
  // Requires flushes().
  static Number flushed(const Number& x);
  // The next functions return the machine's result with its bound. An unknown bound of a used
  // operand is the bound of the result. Integers have no valid value if the bound is not known.
  //
  // Operation on f32 values, computed in f32.
  Number binary(Binary op, const Number& a, const Number& b);
  // Operation on integers, which may have errors. widest: type in which they wrap; the bound is not
  // known if the result may leave it.
  Number of_integers(Binary op, const Number& a, const Number& b, DType widest);
  Number select(const Number& condition, const Number& a, const Number& b);
  Number function(Function f, const Number& x);
  Number power(const Number& a, const Number& b);
  Number is_finite(const Number& x);
  // Bitwise operation on integers, computed in `type`. Operands with errors must be truth values (0
  // or 1); else the bound is not known.
  Number of_bits(Integers op, const Number& a, const Number& b, DType type);
  // Conversion to an integer type: floats are truncated towards 0, integers to their low bits.
  Number cut_off(const Number& x, DType from, DType to);
  // Conversion of an integer to f32.
  Number as_f32(const Number& x);
  // Stores a value in an element of a type. The reference may round there as well, or not. The
  // bound is not known if the value may be beyond the range of the type.
  Number rounded(DType to, const Number& x);
  // sum: in ascending order, in f32; are_integers: of integers, in their own type. outermost: the
  // largest or the smallest term; without terms: -inf or inf.
  Number sum(const std::vector<Number>& terms, bool are_integers);
  Number outermost(bool wants_largest, const std::vector<Number>& terms);

  // Returns the bounds of acc + a . b, row-major, with shapes [m, n], [m, k] and [k, n]. All three
  // must have values (Tile::values).
  std::vector<Bound> product(const Tile& acc, const Tile& a, const Tile& b);

 private:
  // Require known bounds. f32, except `chosen` and `compared`.
  Number add(const Number& a, const Number& b);
  Number mul(const Number& a, const Number& b);
  Number div(const Number& a, const Number& b);
  Number chosen(bool wants_larger, const Number& a, const Number& b);
  Number compared(Binary op, const Number& a, const Number& b);
  // The next two return a value with its bound. made: `carried` is the error from the operands,
  // `own` the rounding error of the machine, and `roundings` as for lost_elsewhere(); not known if
  // the value or bound is not finite. truncated: rounds both ends of the interval, which must be in
  // the range of the type.
  Number made(float value, double carried, double own, double roundings = 1);
  Number truncated(const Number& x, DType to);
  // Returns the error of this number of roundings of the reference, each of a value of at most
  // `size`. 0: the reference is exact. Infinity if its type has no such value.
  double lost_elsewhere(double size, double roundings) const;

  std::optional<ReferenceModel> other_;
  double sum_error_;
  Reasons& reasons_;
  StmtId statement_;
};

}  // namespace tessera::running_error
