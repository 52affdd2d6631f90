// Whether two programs compute the same real functions of their operands, shown by runs of both
// over random prime fields: a difference of two polynomials of degree d is zero at a random point
// with probability d / p at most (Schwartz, Zippel), so programs that agree at three draws are
// equal but for that probability, up to rounding.
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
  std::vector<std::int64_t> index;                   // in A
  std::optional<FindingPlace> wrote_a{}, wrote_b{};  // who stored it last
  std::vector<std::string> terms{};  // on which elements of the operands it depends otherwise
};

struct Equality {
  Outcome outcome = Outcome::not_shown;
  std::string reason;             // of not_shown, one clause
  std::string untried;            // why not each branch of max and min was tried; empty if each was
  std::optional<Diag> refusal;    // what has no rule over the field, ...
  std::vector<Finding> findings;  // or what is wrong with a program: ...
  Which which = Which::a;         // this one
  std::optional<Difference> difference;
  int draws = 0;
  std::vector<std::uint32_t> primes;
  std::int64_t elements = 0;              // in the compared results
  std::vector<std::string> results{};     // their names
  std::vector<std::string> uncompared{};  // results that one program alone has
  std::vector<std::string> unmatched{};   // operands that one program alone has
  std::vector<std::string>
      alike{};             // operands of A that B, on one device, has once for all devices
  Bound bound{};           // for the difference between results
  double probability = 0;  // that equal is wrong, where max and min decide nothing
};

// Of a difference: its terms, or only that there is one, which takes no more runs.
enum class Tracing : std::uint8_t { terms, none };

// Operands of the same name are the same in both: floats drawn from the field, integers those of A.
// The results that both have are compared. B may run on one device where A runs on several, with
// operands and results of all of them stacked. Errors: no results of one name and size,
// operands of one name that do not fit each other, memory.
Expected<Equality> compare(KeptRun& a, KeptRun& b, std::uint64_t seed,
                           Tracing tracing = Tracing::terms);

}  // namespace tessera::fields
