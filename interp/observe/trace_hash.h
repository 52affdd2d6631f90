// Hash of a run: two runs that do the same things in the same order have equal hashes. It covers
// kinds, agents, statements, ranges and amounts, but not values or addresses.
#pragma once
#include <cstdint>

#include "interp/observe/event.h"

namespace tessera {

class TraceHash {
 public:
  void on(const Event& event) {
    mix(static_cast<std::uint64_t>(event.kind) |
        static_cast<std::uint64_t>(event.agent.device) << 8 |
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.statement.index)) << 32);
    mix(static_cast<std::uint64_t>(event.agent.dma) ^
        static_cast<std::uint64_t>(event.amount) << 20 ^
        static_cast<std::uint64_t>(event.agent.core) << 56 ^
        static_cast<std::uint64_t>(event.agent.worker + 1) << 48);
    mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.core.index)) << 32 |
        static_cast<std::uint32_t>(event.object.index));
    mix(static_cast<std::uint64_t>(event.cell));
    if (event.box == nullptr) return;
    for (std::size_t d = 0; d < static_cast<std::size_t>(event.box->rank); ++d) {
      mix(static_cast<std::uint64_t>(event.box->start[d]) << 32 ^
          static_cast<std::uint64_t>(event.box->size[d]));
    }
  }
  std::uint64_t value() const { return hash_ ^ hash_ >> 29; }

 private:
  // Multiplication by an odd number carries low bits up, the rotation brings high bits down.
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15ULL;
    hash_ = hash_ << 29 | hash_ >> 35;
  }
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace tessera
