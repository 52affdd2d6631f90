// Would a proof have noticed? Every mutant of a proved program is verified like the program itself.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "tests/mutation/mutants.h"

namespace tessera {

// What becomes of a mutant. The first six refute it.
enum class Fate : std::uint8_t {
  deadlock,
  leftover,    // counts or copies are left at the end
  other_race,  // a race, and a schedule that was run ends with other values or findings
  race,        // a race, and all schedules that were run end alike: both of its orders among them
  finding,     // of another kind: out of bounds, undefined values, ...
  value,       // proved free of races, with other results in every schedule
  equivalent,  // proved, with the same results
  unreached,   // equivalent, for the op does nothing in this call
  undecided    // one run does not decide, and the schedules that were run show nothing
};
inline constexpr int fates = 9;
std::string_view name(Fate fate);

struct JudgedMutant {
  Mutant mutant;
  Loc loc;  // of the op
  std::string mnemonic;
  Fate fate = Fate::undecided;
  std::string why;  // the first finding's message, or why nothing is decided
};

struct MutationTest {
  std::vector<JudgedMutant> mutants;  // in the order of the program
  bool is_interrupted = false;        // there are more
  double seconds = 0;
};

// `options` as for certify(); the program itself must be proved.
Expected<MutationTest> mutation_test(const Simulate& simulate, const CertifyOptions& options);

}  // namespace tessera
