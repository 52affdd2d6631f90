// The run that an editor looks at: its session and the debugger on it, and what the editor was told
// of it.
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

// The client asked for something that cannot wait until a movement ends, or is gone.
class PauseAsked final : public StopCondition {
 public:
  explicit PauseAsked(MessageReader& in) : in_(in) {}
  // A movement begins, which may take several ways.
  void arm();
  std::optional<Cause> holds(const Moment& moment) override;

 private:
  MessageReader& in_;
  std::chrono::steady_clock::time_point next_{};
  bool is_asked_ = false;
};

struct DebuggedRun {
  DebuggedRun(std::unique_ptr<Session> opened, Invocation invocation, Debugger::Compare compare,
              const ReadFiles* read, MessageReader& in);

  // What was numbered for the place before is no more.
  void forget_numbers();
  // Frames of an agent have numbers; the agent of one.
  std::int64_t number_frame(const AgentId& agent);
  std::optional<AgentId> agent_of_frame(std::int64_t frame) const;
  // What the debugger has said since this was asked last.
  std::string take_said();

  std::unique_ptr<Session> session;
  PauseAsked pause;
  std::ostringstream said;
  Debugger debugger;
  AgentThreads threads;
  Sources sources;
  VariableTree variables;
  // Numbers of the stops that the client has set: breakpoints by their sources' names, and watches.
  std::map<std::string, std::vector<int>> breakpoints;
  std::vector<int> watches;
  std::size_t shown_finding = 0;  // the first that the last movement met

 private:
  std::vector<AgentId> frames_;
  std::int64_t first_frame_ = 1;
};

}  // namespace tessera::debugger
