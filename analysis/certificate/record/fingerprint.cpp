#include "analysis/certificate/record/fingerprint.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "interp/observe/content_hash.h"

namespace tessera {

std::uint64_t protocol_hash(const Record& record) {
  if (record.is_over_budget) return 0;
  std::vector<RecordedAgentId> agents;
  for (const RecordedAgentId a : record.agents.ids()) agents.push_back(a);
  const auto agent = [&](RecordedAgentId a) -> const RecordedAgent& { return record.agents[a]; };
  std::sort(agents.begin(), agents.end(), [&](RecordedAgentId a, RecordedAgentId b) {
    const AgentId &one = agent(a).id, &other = agent(b).id;
    return std::tie(one.device, one.core, one.dma) < std::tie(other.device, other.core, other.dma);
  });
  ContentHash hash;
  for (const RecordedAgentId a : agents) {
    hash.mix(static_cast<std::uint64_t>(agent(a).id.core) << 56 ^
             static_cast<std::uint64_t>(agent(a).id.device) << 40 ^
             static_cast<std::uint64_t>(agent(a).id.dma));
    for (const EventId e : agent(a).events()) {
      const RecordedEvent& event = record.events[e];
      hash.mix(static_cast<std::uint64_t>(event.act) << 8 ^
               static_cast<std::uint64_t>(event.access) ^
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.statement.index)) << 16);
      hash.mix(static_cast<std::uint64_t>(event.amount));
      if (event.act == Act::access) {
        const Range& range = record.ranges[event.range()];
        hash.mix(static_cast<std::uint64_t>(range.core.index) << 32 ^
                 static_cast<std::uint32_t>(range.object));
        for (std::size_t d = 0; d < static_cast<std::size_t>(range.box.rank); ++d) {
          hash.mix(static_cast<std::uint64_t>(range.box.start[d]));
          hash.mix(static_cast<std::uint64_t>(range.box.size[d]));
        }
      } else if (event.act != Act::start && event.act != Act::none) {
        const SemId& sem = record.cells[event.cell()];
        hash.mix(static_cast<std::uint64_t>(sem.core.index) << 32 ^
                 static_cast<std::uint32_t>(sem.semaphore.index));
        hash.mix(static_cast<std::uint64_t>(sem.cell));
      }
    }
  }
  return hash.value();
}

}  // namespace tessera
