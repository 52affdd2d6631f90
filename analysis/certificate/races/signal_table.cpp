#include "analysis/certificate/races/signal_table.h"

#include <algorithm>

namespace tessera {

// Processes one core after another, each with its copies. So if a cell already has an entry of the
// core, it is the last one.
SignalTable::SignalTable(const Record& record) : cells_(record.cells.size()) {
  const auto note = [&](RecordedAgentId agent, bool is_copy) {
    const RecordedAgent& by = record.agents[agent];
    for (const EventId e : by.events()) {
      const RecordedEvent& event = record.events[e];
      if (event.act != Act::signal || event.amount == 0) continue;
      const EventId end = (is_copy ? by.started_at : e) + 1;
      std::vector<Entry>& entries = cells_[event.cell()];
      if (entries.empty() || entries.back().core != by.issuer)
        entries.push_back({by.issuer, end});
      else
        entries.back().end = std::max(entries.back().end, end);
    }
  };
  const Lists<RecordedAgentId, RecordedAgentId> copies = copies_by_issuer(record);
  for (const RecordedAgentId core : record.core_ids()) {
    note(core, false);
    for (const RecordedAgentId copy : copies.of(core)) note(copy, true);
  }
}

}  // namespace tessera
