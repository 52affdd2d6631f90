// Ops of the source among the statements of an expanded program, which has many of its own.
#pragma once
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/program/program.h"

namespace tessera {

class SourceOps {
 public:
  SourceOps() = default;
  explicit SourceOps(const Program& structured);
  // True if the kernel's own text has an op of this type at the place of the statement. For a
  // library function, the text of its call does not count. Without a structured program: true for
  // each place of the kernel's own text.
  bool has(const Program& expanded, StmtId statement) const;
  // The same for a place of the kernel's own text, where a loop or a grid dimension begins.
  bool has_loop(const Loc& loc) const;

 private:
  using Key = std::tuple<std::size_t, int, int>;  // op, line, column
  bool is_known_ = false;
  std::set<Key> ops_;
  std::set<std::pair<int, int>> loops_;  // line, column
};

// True for ops of a core that cause an event each time.
inline bool causes_event(OpClass family) {
  return family == OpClass::copy || family == OpClass::sync || family == OpClass::tile;
}
// Name without the number that expansion appends to make it unique: "slot" for "slot_2".
std::string source_name(const std::string& name);
// True if the statement is in a loop of the source. The loop of several launches does not count.
bool is_in_loop(const Program& program, StmtId statement);
// For a statement of a library function: its own place, as the `object` of a note; else empty.
std::string library_place(const Program& program, StmtId statement);

// Location of the statement in the kernel's own text; for a library function, of its call.
Loc own_loc(const Program& program, StmtId statement);
// True if the statement is written in the kernel's own text: not in a library function, and not
// around several launches.
bool is_own(const Program& program, StmtId statement);

}  // namespace tessera
