// Decides whether two programs compute the same real functions of their operands, up to rounding.
// Both run over random prime fields. A difference of two polynomials of degree d is zero at a
// random point with a probability of at most d / p (Schwartz, Zippel). So programs that agree at
// three draws are equal, except with a small probability.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/equality/tile.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/launch.h"

namespace tessera::fields {

// not_shown: the rules do not suffice, or a program does not run to its end.
enum class Outcome : std::uint8_t { equal, different, not_shown };

// One of the two programs.
enum class Which : std::uint8_t { a, b };

// The first element that differs.
struct Difference {
  std::string result;
  int device = 0;
  std::vector<std::int64_t> index;                   // in the result of A
  std::optional<FindingPlace> wrote_a{}, wrote_b{};  // last store to the element
  // Elements of operands on which the two programs depend differently.
  std::vector<std::string> terms{};
};

struct Equality {
  Outcome outcome = Outcome::not_shown;
  std::string reason;           // one clause, if not_shown
  std::string untried;          // why some branches of max and min were not tried; empty: all were
  std::optional<Diag> refusal;  // op or values without a rule over the field
  std::vector<Finding> findings;  // findings of a program
  Which which = Which::a;         // program with the refusal or findings
  std::optional<Difference> difference;
  int draws = 0;
  std::vector<std::uint32_t> primes;
  std::int64_t elements = 0;              // number of compared elements
  std::vector<std::string> results{};     // names of the compared results
  std::vector<std::string> uncompared{};  // results of only one program
  std::vector<std::string> unmatched{};   // operands of only one program
  std::vector<std::string>
      alike{};             // operands that B, on one device, has once for all devices of A
  Bound bound{};           // on the difference between results
  double probability = 0;  // error probability of `equal`, without effects of max and min
};

// Explanation of a difference. terms: find its terms by further runs. none: no
// Equality::difference.
enum class Tracing : std::uint8_t { terms, none };

// Compares the results of the same name. Operands of the same name have equal values in both
// programs: floats are drawn from the field, and the integers of A are copied to B. Removes the
// assertions from both programs, and replaces their options. seed: for the draws.
//
// B must run on as many devices as A, or on one. On one device, an operand or result of B either
// stacks the arrays of all devices of A, or has the shape of one device and corresponds to each of
// them. Fails if there is no common result, if the numbers of devices, or the shapes or types of
// one name, do not match, if memory runs out, or on a stop request. Other reasons why nothing is
// decided are in the result (Outcome::not_shown).
Expected<Equality> compare(KeptRun& a, KeptRun& b, std::uint64_t seed,
                           Tracing tracing = Tracing::terms);

}  // namespace tessera::fields
