// Threads of the protocol: the cores of all devices, and the copies in flight.
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
  std::string name;  // with the agent's state
};

class AgentThreads {
 public:
  explicit AgentThreads(Session& session) : session_(session) {}

  // Returns the current threads: all cores, and the first copies in flight, at most 64.
  std::vector<AgentThread> now();
  // Returns the id of an agent. A copy keeps its id for the session; a loop worker has the id of
  // its core.
  std::int64_t id_of(const AgentId& agent);
  // Returns the agent with this id; nullopt if there is none. A copy need not be in flight any
  // more.
  std::optional<AgentId> find(std::int64_t id) const;
  // Ids of copies that appeared in or disappeared from now() since the last call of change(); with
  // the first call, all have appeared.
  struct Change {
    std::vector<std::int64_t> started, exited;
  };
  Change change();

 private:
  Session& session_;
  std::vector<AgentId> copies_;      // all copies that have ids
  std::vector<std::int64_t> known_;  // ids of the copies at the last change()
};

}  // namespace tessera::debugger
