// The names of agents.
#include "interp/machine/agent.h"

#include <fmt/format.h>

#include <charconv>

namespace tessera {
namespace {

// Takes `prefix` and a decimal number off the front of `text`.
template <typename Integer>
bool take(std::string_view& text, std::string_view prefix, Integer& number) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string to_string(const AgentId& agent) {
  std::string text = fmt::format("dev{}.core{}", agent.device, agent.core);
  if (agent.worker >= 0) text += fmt::format(".worker{}", agent.worker);
  if (agent.is_copy()) text += fmt::format("/dma#{}", agent.dma);
  return text;
}

std::optional<AgentId> parse_agent(std::string_view text) {
  AgentId agent;
  if (!take(text, "dev", agent.device) || !take(text, ".core", agent.core)) return std::nullopt;
  if (text.starts_with('.') && !take(text, ".worker", agent.worker)) return std::nullopt;
  if (!text.empty() && !take(text, "/dma#", agent.dma)) return std::nullopt;
  if (!text.empty()) return std::nullopt;
  return agent;
}

}  // namespace tessera
