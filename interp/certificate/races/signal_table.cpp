#include "interp/certificate/races/signal_table.h"

#include <algorithm>

namespace tessera {

// Core after core, each with its copies: the last entry of a cell is of the one at hand, or none
// is.
SignalTable::SignalTable(const Record& record) : cells_(record.cells.size()) {
  const auto note = [&](std::int32_t agent, bool is_copy) {
    const RecordedAgent& by = record.agents[static_cast<std::size_t>(agent)];
    for (std::int32_t e = by.begin; e < by.end; ++e) {
      const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
      if (event.act != Act::signal || event.amount == 0) continue;
      const std::int32_t end = (is_copy ? by.started_at : e) + 1;
      std::vector<Entry>& entries = cells_[static_cast<std::size_t>(event.object)];
      if (entries.empty() || entries.back().core != by.issuer)
        entries.push_back({by.issuer, end});
      else
        entries.back().end = std::max(entries.back().end, end);
    }
  };
  const Lists<std::int32_t> copies = copies_by_issuer(record);
  for (std::int32_t core = 0; core < record.cores(); ++core) {
    note(core, false);
    for (const std::int32_t copy : copies.of(core)) note(copy, true);
  }
}

}  // namespace tessera
