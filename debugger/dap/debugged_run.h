// The run that an editor inspects: its session, its debugger, and the ids that were sent to the
// editor.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "debugger/commands/debugger.h"
#include "debugger/dap/agents.h"
#include "debugger/dap/messages.h"
#include "debugger/dap/sources.h"
#include "debugger/dap/variable_tree.h"

namespace tessera::debugger {

// Holds, until the next arm(), once the client has sent a request that cannot wait for the end of
// the movement, or has disconnected. Reads the input every 20 ms.
class PauseAsked final : public StopCondition {
 public:
  explicit PauseAsked(MessageReader& in) : in_(in) {}
  // Resets the condition; must be called at the beginning of a movement.
  void arm();
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  MessageReader& in_;
  std::chrono::steady_clock::time_point next_{};
  bool is_asked_ = false;
};

struct DebuggedRun {
  // in, and read unless null: must outlive this object. compare: may be null.
  DebuggedRun(std::unique_ptr<Session> opened, Invocation invocation, Debugger::Compare compare,
              const ReadFiles* read, MessageReader& in);

  // Invalidates the ids of the previous position.
  void forget_numbers();
  // number_frame() assigns a new id to a frame of the agent; agent_of_frame() returns the agent of
  // an id, nullopt for ids that are unknown or invalidated.
  std::int64_t number_frame(const AgentId& agent);
  std::optional<AgentId> agent_of_frame(std::int64_t frame) const;
  // Returns and clears the output of the debugger since the last call.
  std::string take_said();

  std::unique_ptr<Session> session;
  PauseAsked pause;
  std::ostringstream said;
  Debugger debugger;
  AgentThreads threads;
  Sources sources;
  VariableTree variables;
  // Numbers of the stops set by the client: breakpoints by source name, and watches.
  std::map<std::string, std::vector<int>> breakpoints;
  std::vector<int> watches;
  std::size_t shown_finding = 0;  // index of the first finding of the last movement

 private:
  std::vector<AgentId> frames_;
  std::int64_t first_frame_ = 1;
};

}  // namespace tessera::debugger
