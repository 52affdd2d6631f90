// Who hears what the debug statements of a program tell while it runs.
#pragma once
#include <string>

#include "core/program/loop_index.h"
#include "core/program/program.h"
#include "interp/machine/agent.h"

namespace tessera {

// What one `print` tells, or that a core passed a `breakpoint`.
struct DebugOutput {
  AgentId agent{};
  StmtId statement;     // in the program that runs
  Loc loc{};            // of it
  LoopIndices loops{};  // of the loops around it
  std::string text{};   // of a print: its line, and below it rows of memory; ends without a break
};

// "k.tsr:12: dev0.core0 at i=2: now = 5", and rows of memory below.
std::string to_string(const DebugOutput& output);

class DebugSink {
 public:
  virtual ~DebugSink() = default;
  // Whether it wants to be told what the statement has to tell now; asked each time.
  virtual bool accepts(const Program& program, StmtId statement) = 0;
  virtual void receive(const Program& program, const DebugOutput& output) = 0;
};

}  // namespace tessera
