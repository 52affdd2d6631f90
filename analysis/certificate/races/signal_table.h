// Who can signal each semaphore, and how long.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

// By cell: the cores that signal it, themselves or by a copy.
class SignalTable {
 public:
  explicit SignalTable(const Record& record);
  struct Entry {
    RecordedAgentId core;  // that signals, or starts a copy that does
    EventId end;           // behind the last of these events of the core
  };
  const std::vector<Entry>& of(CellId cell) const { return cells_[cell]; }

 private:
  Table<CellId, std::vector<Entry>> cells_;
};

}  // namespace tessera
