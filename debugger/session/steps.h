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

SourceLine line_of(const Program& program, StmtId statement);  // none without a statement
// True for each statement that takes a step. Scalar ops and branches run as part of the preceding
// step.
Table<StmtId, bool> stepping(const Program& program);
// Names of the loops around a statement of an expanded program, outermost first.
std::vector<std::string> loop_names(const Program& program, StmtId statement);
// First statement of each run of stepping statements on the line; empty if no step begins there.
std::vector<StmtId> entries(const Program& program, const SourceLine& line);

}  // namespace tessera
