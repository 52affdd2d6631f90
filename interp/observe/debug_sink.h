// Interface for receiving the output of debug statements during a run.
#pragma once
#include <string>

#include "core/program/loop_index.h"
#include "core/program/program.h"
#include "interp/machine/agent.h"

namespace tessera {

// Output of one `print`, or the report that a core passed a `breakpoint`.
struct DebugOutput {
  AgentId agent{};
  StmtId statement;     // in the program that runs
  Loc loc{};            // source location of the statement
  LoopIndices loops{};  // indices of the loops around the statement
  std::string text{};   // print: its line, then rows of memory; without a final line break
};

// Returns one line, for example "k.tsr:12: dev0.core0 at i=2: now = 5", followed by rows of memory,
// without a final line break.
std::string to_string(const DebugOutput& output);

class DebugSink {
 public:
  virtual ~DebugSink() = default;
  // True if the sink accepts the current output of the statement. Called for each output.
  virtual bool accepts(const Program& program, StmtId statement) = 0;
  // Called with each output that was accepted.
  virtual void receive(const Program& program, const DebugOutput& output) = 0;
};

}  // namespace tessera
