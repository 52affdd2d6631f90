// Domain of shadow execution with error bounds: the maximum difference between a number of the
// machine and the result of the same operations in exact arithmetic on the same operands. Integers
// that are not computed from floats are exact. If rounding may decide a branch, there are no
// bounds.
#pragma once
#include "analysis/running_error/rules.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/memory/storage.h"

namespace tessera::running_error {

class ErrorDomain {
 public:
  using Tile = running_error::Tile;
  using Operand = Tile;
  static constexpr const char* no_rule = " has no rule for errors";
  static constexpr const char* no_control = "and rounding may decide its value";

  // other, sum_error: as in Rules.
  explicit ErrorDomain(std::optional<ReferenceModel> other, double sum_error = 0)
      : rules_(other, reasons_, sum_error) {}
  const Reasons& reasons() const { return reasons_; }

  void at(StmtId statement) { rules_.at(statement); }
  static bool starts_with_machines(const Buffer& buffer) {
    return buffer.role == Role::in || is_integer(buffer.dtype);
  }
  static Tile machines(const Extents& shape) { return filled(shape, 0); }
  static Tile first(const Buffer&, const Extents& shape, int) { return undefined(shape); }
  static Tile undefined(const Extents& shape) {
    return filled(shape, unknown_for(Reasons::undefined));
  }
  static Tile operand(Tile tile, DType type);
  void complete(Tile& operand, Storage& storage, const Box& box);

  static Tile of_integer(std::int64_t integer);
  // The bound covers the literal as written and rounded to f32.
  Tile of_literal(double literal);
  Tile of_real(std::int64_t integer);  // as f32
  // Returns the operand with bounds that include 0 for denormals, if the reference flushes them.
  Tile prepared(Tile operand) const;
  static bool is_known(const Tile& operand) { return operand.is_machines(); }

  Tile binary(Binary kind, Tile a, Tile b, DType to);
  // type: type of the computation.
  Tile integers(Integers kind, const Tile& a, const Tile& b, DType type, DType to);
  Tile function(Function kind, Tile x, DType to);
  Tile power(Tile a, Tile b, DType to);
  Tile select(Tile condition, Tile a, Tile b, DType to);
  Tile cast(const Tile& x, DType to);
  Tile truncate(const Tile& x, DType to);
  Tile iota(const Extents& shape, std::size_t dim, DType to);
  // Fails with ErrorCode::unsupported unless all elements of x are exact.
  static Expected<Tile> bits(const Tile& x, const Extents& shape, DType to);
  Tile reduce(Reduction kind, const Tile& x, std::size_t dim, DType to);
  Tile product(const Tile& acc, const Tile& a, const Tile& b);
  Tile accumulated(const Tile& sum, const Tile& addend, DType to) {
    return binary(Binary::add, sum, addend, to);
  }

 private:
  static Tile filled(const Extents& shape, Bound bound);
  // Marks the bounds of NaNs as not known.
  void mark_unknown(Tile& tile);
  Tile as_f32(Tile tile);
  // Returns the bounds of make(i), rounded to a type, for each element.
  template <typename Make>
  Tile each(const Extents& shape, DType to, Make&& make);

  Reasons reasons_;
  Rules rules_;
};

}  // namespace tessera::running_error
