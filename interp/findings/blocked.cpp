#include "interp/findings/blocked.h"

#include <utility>

namespace tessera {

std::int64_t missing_count(Machine& machine, const Core& core) {
  return core.need().count - machine.cell(core.need().sem).count;
}

FindingPlace place_in_run(Machine& machine, StmtId statement, const AgentId& agent,
                          std::string message) {
  if (!statement) return {.message = std::move(message)};
  const Program& program = machine.program();
  const Core& core = machine.core_state(machine.topology().of(agent)).core;
  const bool stands_there = core.is_blocked() && core.statement() == statement;
  return {.loc = program.loc(statement),
          .message = std::move(message),
          .device = agent.device,
          .agent = to_string(agent),
          .loops = stands_there ? machine.loops_of(agent, statement) : LoopIndices{}};
}

}  // namespace tessera
