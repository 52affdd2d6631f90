// Who can signal each semaphore, and how long.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/certificate/record/record.h"

namespace tessera {

// By cell: the cores that signal it, themselves or by a copy.
class SignalTable {
 public:
  explicit SignalTable(const Record& record);
  struct Entry {
    std::int32_t core;  // that signals, or starts a copy that does
    std::int32_t end;   // behind the last of these events of the core
  };
  const std::vector<Entry>& of(std::int32_t cell) const {
    return cells_[static_cast<std::size_t>(cell)];
  }

 private:
  std::vector<std::vector<Entry>> cells_;
};

}  // namespace tessera
