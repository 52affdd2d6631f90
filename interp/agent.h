// Who acts: a core of a device, or a copy in flight that a core started.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

struct AgentId {
  std::int32_t device = 0;
  std::int32_t core = 0;
  std::int64_t dma = -1;  // the issuing core's own count; -1: the core itself

  bool is_copy() const { return dma >= 0; }
  AgentId issuer() const { return {device, core, -1}; }
  bool operator==(const AgentId&) const = default;
};

std::string to_string(const AgentId& agent);  // "dev0.core0", "dev0.core0/dma#3"
std::optional<AgentId> parse_agent(std::string_view text);

}  // namespace tessera
