// Coverage that depends on sizes alone: different neighbours, partial blocks, empty groups.
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
    peers_.assign(static_cast<std::size_t>(devices), {});
  }
  // Collects the blocks of windows, and the windows whose blocks are all whole.
  void see_windows(const Program& structured);
  // Collects the tables that decide the control of the program and have no 0.
  void see_operands(const Program& expanded, const std::vector<Binding>& bindings);
  // Signals and waits, by cores and by copies.
  void on_semaphore(const Event& event) {
    const int at = event.core.index / cores_, by = event.agent.device;
    if (at == by) return;
    peers_[static_cast<std::size_t>(at)].insert(by);
    peers_[static_cast<std::size_t>(by)].insert(at);
  }
  void add_notes(CoverageNotes& notes) const;

 private:
  void add_neighbours(CoverageNotes& notes) const;

  int devices_ = 1, cores_ = 1;
  std::vector<std::set<int>> peers_;  // by device: those that it signals or is signalled by
  CoverageNotes notes_of_windows_, notes_of_tables_;
};

}  // namespace tessera
