// What one run did not exercise, so that its verdict says nothing about it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/report/diag.h"

namespace tessera {

// Most telling first: mistakes in what the first kinds leave out are the most frequent ones.
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
  std::string message{};  // what is not exercised, in one line
  // Smallest number of devices that may exercise it; 0: unknown. Larger sizes of other kinds are
  // found by trial (cli/size_search.h).
  int devices = 0;
  // empty: name of the table. remainder: window and dimension, "a.0", the first of several.
  std::string object{};
};

// The notes on one run, and what it did exercise, without messages.
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
