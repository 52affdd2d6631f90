// What the sizes of a run leave out: neighbours on both sides, partial blocks, empty groups.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/coverage/coverage_note.h"
#include "core/program/program.h"
#include "interp/binding.h"
#include "interp/observe/event.h"

namespace tessera {

class Sizes {
 public:
  void begin(int devices, int cores) {
    devices_ = devices;
    cores_ = cores;
    is_remote_ = false;
  }
  // Collects the blocks of windows, and the windows whose blocks are all whole.
  void see_windows(const Program& structured);
  // Collects the tables that decide the control of the program and have no 0.
  void see_operands(const Program& expanded, const std::vector<Binding>& bindings);
  // A signal of another device, or by a copy from one.
  void on_signal(const Event& event) {
    is_remote_ = is_remote_ || event.core.index / cores_ != event.agent.device;
  }
  void add_notes(CoverageNotes& notes) const;

 private:
  int devices_ = 1, cores_ = 1;
  bool is_remote_ = false;
  CoverageNotes notes_of_windows_, notes_of_tables_;
};

}  // namespace tessera
