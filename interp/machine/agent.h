// Agents of a run: a core of a device, one of its loop workers (interp/machine/loop_workers.h), or
// a copy in flight that one of these started.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

struct AgentId {
  std::int32_t device = 0;
  std::int16_t core = 0;
  std::int16_t worker = -1;  // a loop worker of the core; -1: the core
  std::int64_t dma = -1;     // number of the copy, counted by its issuer; -1: not a copy

  bool is_copy() const { return dma >= 0; }
  AgentId issuer() const { return {device, core, worker}; }
  bool operator==(const AgentId&) const = default;
};

std::string to_string(const AgentId& agent);  // "dev0.core0", "dev0.core0.worker1/dma#3"
// Inverse of to_string(). None if the text is not the name of an agent.
std::optional<AgentId> parse_agent(std::string_view text);

}  // namespace tessera
