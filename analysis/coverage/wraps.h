// Ops of the source that never changed their operand: `a mod b` with a from 0 to b - 1, and
// `min(a, b)` of a constant that was never larger than the other operand.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/coverage/branches.h"
#include "analysis/coverage/coverage_note.h"
#include "analysis/coverage/source_ops.h"
#include "interp/observe/event.h"

namespace tessera {

class Wraps {
 public:
  void begin(const Program& program, const SourceOps& source);
  // Requires Event::registers. Examines the entries of the regions around the statement, which were
  // computed in this iteration.
  void on(const Event& event) {
    if (open_ == 0) return;
    for (std::int32_t* at = &last_before_[static_cast<std::size_t>(event.statement.index)];
         *at >= 0;) {
      Remainder& mod = remainders_[static_cast<std::size_t>(*at)];
      if (!mod.is_open || wraps(mod, event.registers)) {
        *at = mod.before;
      } else {
        at = &mod.before;
      }
    }
  }
  void add_notes(const Program& program, const Branches& branches, CoverageNotes& notes) const;

 private:
  struct Remainder {
    StmtId statement;
    ValueId a, b;  // min: a is the constant
    bool is_min = false;
    std::int32_t before = -1;  // the previous entry in the same or an outer region; -1: none
    bool is_open = true;
    // A later statement of its region causes an event whenever the region is executed. Else some
    // executions may have no event, and there is no note.
    bool is_always_examined = false;
  };
  // Returns the entry of a statement; none if it is another op, or a min of two other operands.
  static std::optional<Remainder> remainder(const Program& program, StmtId s, std::int32_t before);
  bool wraps(Remainder& op, const std::int64_t* registers) {
    const std::int64_t a = registers[op.a.index], b = registers[op.b.index];
    const bool is_unchanged =
        op.is_min ? a <= b
                  : b <= 0 || static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
    if (is_unchanged) return false;
    op.is_open = false;
    --open_;
    return true;
  }

  std::vector<Remainder> remainders_;
  std::vector<std::int32_t> last_before_;  // by statement: the last entry before it; -1: none
  std::int32_t open_ = 0;
};

}  // namespace tessera
