// The threads of the protocol: the cores of all devices, and the copies in flight.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "debugger/session/inspect.h"
#include "debugger/session/session.h"

namespace tessera::debugger {

struct AgentThread {
  std::int64_t id = 0;
  AgentId agent{};
  std::string name;  // with what it does
};

class AgentThreads {
 public:
  explicit AgentThreads(Session& session) : session_(session) {}

  // Those that are there now: all cores, and the copies that were started first.
  std::vector<AgentThread> now();
  std::int64_t id_of(const AgentId& agent);
  std::optional<AgentId> find(std::int64_t id) const;
  // Ids that came and went since this was asked last.
  struct Change {
    std::vector<std::int64_t> started, exited;
  };
  Change change();

 private:
  Session& session_;
  std::vector<AgentId> copies_;      // of all that were ever named
  std::vector<std::int64_t> known_;  // of the copies at the last change()
};

}  // namespace tessera::debugger
