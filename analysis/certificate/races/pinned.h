// Programs whose cores read counts without waiting: what a read gets depends on who came before it.
// Which events these are, and a record in which every read keeps its place among them.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

// Cells of semaphores of which some statement reads the count.
Table<CellId, bool> polled_cells(const Record& record);

// Whether the event decides what a read gets: a read, or what changes such a count.
inline bool is_visible(const RecordedEvent& event, const Table<CellId, bool>& polled) {
  const bool is_count = event.act == Act::signal || event.act == Act::wait ||
                        event.act == Act::await || event.act == Act::poll;
  return is_count && polled[event.cell()];
}

// The same events, and what holds of all schedules in which each read comes after the very signals
// and waits that came before it in the run: one-way tokens between them say so. Nothing when a copy
// changes a count that is read: copies cannot be made to wait.
std::optional<Record> with_reads_pinned(const Record& record);

}  // namespace tessera
