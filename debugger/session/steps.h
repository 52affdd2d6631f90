// Which statements of a program a run steps through, and where they stand in the source.
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

SourceLine line_of(const Program& program, StmtId statement);  // none of -1
// By statement: whether it takes a step. Scalars and branches are taken along by the step before.
Table<StmtId, bool> stepping(const Program& program);
// The names of the loops around a statement of an expanded program, outermost first.
std::vector<std::string> loop_names(const Program& program, StmtId statement);
// The first of each stretch of stepping statements on that line; empty where no step begins there.
std::vector<StmtId> entries(const Program& program, const SourceLine& line);

}  // namespace tessera
