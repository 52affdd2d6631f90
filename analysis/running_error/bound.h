// How far a value of the machine may lie from what exact arithmetic gives, as one number: 0 is
// exact, and what is not known is a NaN that says why.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/program/ids.h"

namespace tessera::running_error {

// Not negative; or a NaN, whose lowest bits are the number of a reason.
using Bound = float;

inline bool is_known(Bound bound) { return bound == bound; }
inline Bound unknown_for(std::uint32_t reason) {
  return std::bit_cast<Bound>(std::uint32_t{0x7FC00000} | reason);
}
inline std::uint32_t reason_of(Bound unknown) {
  return std::bit_cast<std::uint32_t>(unknown) & 0x3FFFFF;
}

// Of computations in double whose roundings are far fewer than 2^12: not below what they stand for.
inline Bound rounded_up(double bound) {
  const double more = bound * (1 + 0x1p-40);
  const auto nearest = static_cast<Bound>(more);
  return static_cast<double>(nearest) < more
             ? std::nextafter(nearest, std::numeric_limits<Bound>::infinity())
             : nearest;
}

// A value that the machine has, and its bound.
struct Number {
  double value = 0;
  Bound bound = 0;
};

// Why bounds are not known: what is done, and by which statement.
class Reasons {
 public:
  struct Reason {
    std::string text;
    StmtId statement;  // none: of memory that nothing has written
  };
  static constexpr std::uint32_t undefined = 0;
  Reasons() : all_{{"it is undefined", StmtId()}} {}

  Bound unknown(const std::string& text, StmtId statement);
  const Reason& of(Bound unknown) const { return all_[reason_of(unknown)]; }

 private:
  std::vector<Reason> all_;
};

}  // namespace tessera::running_error
