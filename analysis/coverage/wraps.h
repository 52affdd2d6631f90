// Remainders `a mod b` of the source whose operand was always from 0 to b - 1.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/coverage/branches.h"
#include "analysis/coverage/coverage_note.h"
#include "analysis/coverage/source_ops.h"
#include "interp/observe/event.h"

namespace tessera {

class Wraps {
 public:
  void begin(const Program& program, const SourceOps& source);
  // Requires Event::registers. Examines the remainders that were computed before the statement.
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
    ValueId a, b;
    std::int32_t before = -1;  // the previous remainder in the text; -1: none
    bool is_open = true;
  };
  bool wraps(Remainder& mod, const std::int64_t* registers) {
    const auto a = static_cast<std::uint64_t>(registers[mod.a.index]);
    const std::int64_t b = registers[mod.b.index];
    if (b <= 0 || a < static_cast<std::uint64_t>(b)) return false;
    mod.is_open = false;
    --open_;
    return true;
  }

  std::vector<Remainder> remainders_;
  std::vector<std::int32_t> last_before_;  // by statement: the last remainder before it; -1: none
  std::int32_t open_ = 0;
};

}  // namespace tessera
