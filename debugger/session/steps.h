// Statements that take a step, and their lines in the source.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// A line of a source; line 0: none.
struct SourceLine {
  std::string source;
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

// Returns line 0 without a statement, or if it has no location.
SourceLine line_of(const Program& program, StmtId statement);
// Returns true for each statement that takes a step. Scalar ops and branches run as part of the
// preceding step.
Table<StmtId, bool> stepping(const Program& program);
// Returns the index names of the loops around a statement of an expanded program, outermost first,
// without unnamed loops. statement: not none.
std::vector<std::string> loop_names(const Program& program, StmtId statement);
// Returns the first statement of each run of stepping statements on the line; empty if no step
// begins there. line: with an empty source: this line of any source.
std::vector<StmtId> entries(const Program& program, const SourceLine& line);

}  // namespace tessera
