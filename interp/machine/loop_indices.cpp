#include "interp/machine/loop_indices.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

LoopId innermost(const Program& program, StmtId statement) {
  return statement ? program.body[statement].loop : LoopId();
}

}  // namespace

void read_loops(const Program& program, StmtId statement, const std::int64_t* registers,
                LoopValues& values) {
  values.clear();
  for (LoopId at = innermost(program, statement); at; at = program.loops[at].outer)
    if (const ValueId index = program.loops[at].index; index != no_value)
      values.push_back(registers[index.index]);
  std::reverse(values.begin(), values.end());
}

LoopIndices loop_indices(const Program& program, StmtId statement, const LoopValues& values) {
  LoopIndices indices;
  for (LoopId at = innermost(program, statement); at; at = program.loops[at].outer)
    if (const Loop& loop = program.loops[at]; loop.index != no_value)
      indices.push_back({loop.name, 0});
  std::reverse(indices.begin(), indices.end());
  indices.resize(std::min(indices.size(), values.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i].value = values[i];
  return indices;
}

LoopIndices loop_indices(const Program& program, StmtId statement, const std::int64_t* registers) {
  LoopValues values;
  read_loops(program, statement, registers, values);
  return loop_indices(program, statement, values);
}

LoopIndices loop_indices(const Program& program, const Event& event) {
  if (event.registers != nullptr) return loop_indices(program, event.statement, event.registers);
  return event.loops != nullptr ? loop_indices(program, event.statement, *event.loops)
                                : LoopIndices{};
}

}  // namespace tessera
