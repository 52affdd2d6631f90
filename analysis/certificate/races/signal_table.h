// Cores that can signal each semaphore, and their last signals.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

// By cell: the cores that signal it, directly or by a copy.
class SignalTable {
 public:
  explicit SignalTable(const Record& record);
  struct Entry {
    RecordedAgentId core;  // signals, or starts a copy that signals
    EventId end;           // position of the core after its last such event
  };
  // Entries of a cell, by ascending core. Signals with amount 0 do not count.
  const std::vector<Entry>& of(CellId cell) const { return cells_[cell]; }

 private:
  Table<CellId, std::vector<Entry>> cells_;
};

}  // namespace tessera
