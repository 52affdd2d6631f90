// Note on something that one run did not exercise: mistakes in it are not covered by the verdict.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/report/diag.h"

namespace tessera {

// In the order of reports. Mistakes that the first kinds hide are the most frequent ones.
enum class Uncovered : std::uint8_t {
  slot,        // no slot is filled a second time
  credit,      // a wait in a loop takes no signal from inside a loop
  branch,      // a branch is not taken
  wrap,        // a `mod` leaves its operand unchanged
  loop,        // a loop has at most one iteration
  neighbours,  // the left and the right neighbour are the same device
  wait,        // a wait does not block, and there is never more to take
  empty,       // no element of a table of sizes is 0
  remainder    // no block of a window is partial
};
std::string_view name(Uncovered kind);  // name in reports: "slot"

struct CoverageNote {
  Uncovered kind = Uncovered::slot;
  Loc loc{};              // statement or declaration; empty: the whole program
  std::string message{};  // one line: "this branch is never taken"
  // Smallest number of devices that exercises it, if that follows from the run; 0: unknown. Other
  // sizes are found by trial (cli/sizes/size_search.h).
  int devices = 0;
  // empty: name of the table. remainder: window and dimension, "a.0", the first of several. In a
  // library function: the place there.
  std::string object{};
  bool is_minor = false;  // probably so at every size; after all others in a report
};

// missing: the notes on one run. seen: the same, without messages, for everything that the run
// exercised.
struct CoverageNotes {
  std::vector<CoverageNote> missing, seen;
  std::vector<std::int64_t> blocks{};  // extents of the blocks of windows, above 1, ascending
};

// Equal for notes about the same thing, also of runs with different sizes.
using CoverageKey = std::tuple<Uncovered, int, int, std::string>;
inline CoverageKey key(const CoverageNote& note) {
  return {note.kind, note.loc.line, note.loc.column, note.object};
}

}  // namespace tessera
