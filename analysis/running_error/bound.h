// Error bounds: the maximum difference between a value of the machine and the result of exact
// arithmetic. 0: exact. NaN: not known; its bits identify the reason.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/program/ids.h"

namespace tessera::running_error {

// Not negative, or a NaN with the number of a reason in its lowest 22 bits.
using Bound = float;

inline bool is_known(Bound bound) { return bound == bound; }
// Convert between an unknown bound and the number of its reason, which must be below 2^22.
inline Bound unknown_for(std::uint32_t reason) {
  return std::bit_cast<Bound>(std::uint32_t{0x7FC00000} | reason);
}
inline std::uint32_t reason_of(Bound unknown) {
  return std::bit_cast<std::uint32_t>(unknown) & 0x3FFFFF;
}

// Rounds up a bound that was computed in double with far fewer than 2^12 roundings. The result is
// at least the exact result of that computation. Infinity if it is larger than any float.
inline Bound rounded_up(double bound) {
  const double more = bound * (1 + 0x1p-40);
  const auto nearest = static_cast<Bound>(more);
  return static_cast<double>(nearest) < more
             ? std::nextafter(nearest, std::numeric_limits<Bound>::infinity())
             : nearest;
}

// A value of the machine and its error bound.
struct Number {
  double value = 0;
  Bound bound = 0;
};

// Ends of the interval of the possible values.
inline double low(const Number& x) { return x.value - static_cast<double>(x.bound); }
inline double high(const Number& x) { return x.value + static_cast<double>(x.bound); }

// Relative error of double arithmetic and of libm.
inline constexpr double tiny = 0x1p-52;

// Reasons why bounds are not known: an operation and its statement.
class Reasons {
 public:
  struct Reason {
    std::string text;
    StmtId statement;  // none: memory that was never written
  };
  static constexpr std::uint32_t undefined = 0;
  Reasons() : all_{{"it is undefined", StmtId()}} {}

  // Returns the unknown bound for a reason, and stores the reason. Equal reasons have equal bounds.
  Bound unknown(const std::string& text, StmtId statement);
  // unknown: a bound that is not known. The result stays valid until the next call of unknown().
  const Reason& of(Bound unknown) const { return all_[reason_of(unknown)]; }

 private:
  std::vector<Reason> all_;
};

}  // namespace tessera::running_error
