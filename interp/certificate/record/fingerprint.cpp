#include "interp/certificate/record/fingerprint.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace tessera {
namespace {

class Hash {
 public:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15ULL;
    hash_ = hash_ << 29 | hash_ >> 35;
  }
  std::uint64_t value() const { return hash_ ^ hash_ >> 29; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace

std::uint64_t text_hash(const std::string& text) {
  Hash hash;
  for (const char c : text) hash.mix(static_cast<unsigned char>(c));
  return hash.value();
}

std::uint64_t bytes_hash(std::span<const std::byte> bytes) {
  Hash hash;
  hash.mix(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    hash.mix(word);
  }
  return hash.value();
}

std::uint64_t protocol_hash(const Record& record) {
  if (record.is_over_budget) return 0;
  std::vector<std::int32_t> agents(record.agents.size());
  for (std::size_t i = 0; i < agents.size(); ++i) agents[i] = static_cast<std::int32_t>(i);
  const auto agent = [&](std::int32_t a) -> const RecordedAgent& {
    return record.agents[static_cast<std::size_t>(a)];
  };
  std::sort(agents.begin(), agents.end(), [&](std::int32_t a, std::int32_t b) {
    const AgentId &one = agent(a).id, &other = agent(b).id;
    return std::tie(one.device, one.core, one.dma) < std::tie(other.device, other.core, other.dma);
  });
  Hash hash;
  for (const std::int32_t a : agents) {
    hash.mix(static_cast<std::uint64_t>(agent(a).id.core) << 56 ^
             static_cast<std::uint64_t>(agent(a).id.device) << 40 ^
             static_cast<std::uint64_t>(agent(a).id.dma));
    for (std::int32_t e = agent(a).begin; e < agent(a).end; ++e) {
      const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
      hash.mix(static_cast<std::uint64_t>(event.act) << 8 ^
               static_cast<std::uint64_t>(event.access) ^
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.statement)) << 16);
      hash.mix(static_cast<std::uint64_t>(event.amount));
      const auto object = static_cast<std::size_t>(event.object);
      if (event.act == Act::access) {
        const Range& range = record.ranges[object];
        hash.mix(static_cast<std::uint64_t>(range.site) << 32 ^
                 static_cast<std::uint32_t>(range.object));
        for (std::size_t d = 0; d < static_cast<std::size_t>(range.box.rank); ++d) {
          hash.mix(static_cast<std::uint64_t>(range.box.start[d]));
          hash.mix(static_cast<std::uint64_t>(range.box.size[d]));
        }
      } else if (event.act != Act::start && event.act != Act::none) {
        const SemId& sem = record.cells[object];
        hash.mix(static_cast<std::uint64_t>(sem.site) << 32 ^
                 static_cast<std::uint32_t>(sem.semaphore));
        hash.mix(static_cast<std::uint64_t>(sem.cell));
      }
    }
  }
  return hash.value();
}

}  // namespace tessera
