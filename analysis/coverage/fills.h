// Slots of scratch memory that copies in loops fill, and whether one is filled a second time.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/coverage/coverage_note.h"
#include "core/program/program.h"
#include "interp/observe/event.h"

namespace tessera {

class Fills {
 public:
  void begin(const Program& program);
  void on(const Event& event) {
    if (event.object_kind != ObjectKind::buffer || open_of_[event.object.buffer()] == 0) return;
    if (event.agent.is_copy() || event.kind == EventKind::alloc) note(event);
  }
  // Adds a note for each copy that filled slots, none of which had been filled before.
  void add_notes(const Program& program, CoverageNotes& notes) const;

 private:
  void note(const Event& event);

  Table<StmtId, BufferId> into_;           // by start in a loop: its scratch destination while open
  Table<BufferId, std::int32_t> open_of_;  // number of open starts
  Table<StmtId, std::int64_t> fills_;
  // Hashes of the filled boxes, by core and buffer.
  std::map<std::pair<std::int32_t, BufferId>, std::unordered_set<std::uint64_t>> filled_;
};

}  // namespace tessera
