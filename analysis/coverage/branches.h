// Statements that were executed, and branches that were not taken.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/coverage/coverage_note.h"
#include "analysis/coverage/source_ops.h"
#include "interp/observe/event.h"

namespace tessera {

class Branches {
 public:
  void begin(const Program& program);
  void on(const Event& event) { is_executed_[static_cast<std::size_t>(event.statement.index)] = 1; }
  // True if the statement is inside of a branch or loop that was not entered, as far as copies,
  // waits, signals and tile ops show it.
  bool is_skipped(StmtId statement) const {
    return is_skipped_[static_cast<std::size_t>(statement.index)] != 0;
  }
  // Must be called before is_skipped().
  void add_notes(const Program& program, const SourceOps& source, CoverageNotes& notes);

 private:
  // visible: number of statements that each execution of the region must execute, and that cause an
  // event. executed: number of executed statements, also in regions inside.
  struct Region {
    std::int64_t visible = 0, executed = 0;
  };
  Region region(const Program& program, StmtId begin, StmtId end) const;
  void skip(StmtId begin, StmtId end);

  std::vector<std::uint8_t> is_executed_, is_skipped_;  // by statement
};

}  // namespace tessera
