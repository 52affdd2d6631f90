// Would a comparison notice? Every value mutant of a program is run and compared with the program.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "tests/mutation/value_mutants.h"

namespace tessera::fields {

// What becomes of a value mutant. The first four kill it.
enum class ValueFate : std::uint8_t {
  finding,    // it does not run to its end: a finding, or it is refused
  different,  // it computes other functions
  results,    // the rules do not show that; a run on small integers, zeros or infinities ends
              // otherwise
  schedule,   // the same functions in this schedule, and it is refuted
  equal,      // the same functions, and it is proved
  unreached,  // equal, for the op does nothing in this call
  undecided   // the rules do not show that it is equal, and no run that it is not
};
inline constexpr int value_fates = 7;
std::string_view name(ValueFate fate);

struct JudgedValueMutant {
  ValueMutant mutant;
  Loc loc;                      // of the op
  std::string mnemonic, place;  // the op, and which of its fields changes
  ValueFate fate = ValueFate::undecided;
  std::string why{};  // the first finding's message, or why nothing is decided
};

struct ValueTest {
  std::string refusal;  // why the program cannot be compared, not even with itself; empty: it can
  std::vector<JudgedValueMutant> mutants{};  // in the order of the program
  bool is_interrupted = false;               // there are more
  double seconds = 0;
};

// `options` as for certify(). Errors: those of the program itself, memory.
Expected<ValueTest> value_test(const Simulate& simulate, const CertifyOptions& options);

}  // namespace tessera::fields
