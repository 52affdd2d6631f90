// Support for programs whose cores read counts without waiting, so that the result of a read
// depends on earlier events. Finds these events, and pins reads: each read keeps its place among
// these events.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

// Returns by cell whether a statement of the program reads a count of its semaphore.
Table<CellId, bool> polled_cells(const Record& record);

// True for events on the counts that are read: signals, waits and the reads.
inline bool is_visible(const RecordedEvent& event, const Table<CellId, bool>& polled) {
  const bool is_count = event.act == Act::signal || event.act == Act::wait ||
                        event.act == Act::await || event.act == Act::poll;
  return is_count && polled[event.cell()];
}

// Returns the record with additional tokens (signal and await pairs). Its schedules are those in
// which each read comes after the same signals and waits as in the run. Empty if a copy changes a
// count that is read, because a copy cannot wait for a token.
std::optional<Record> with_reads_pinned(const Record& record);

}  // namespace tessera
