// Scalar memory that a planned run reads and writes without a step and an event for each number.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// So many indices at most has a number that is read or written in no step.
inline constexpr std::size_t most_indices = 3;

struct QuietNumbers {
  // none: loads and stores are steps like others. own: nobody but the core reaches the buffer, so
  // that nobody is told. told: of what is read observers learn before the core synchronises, as
  // rectangles; of what is stored as it is.
  enum class Manner : std::uint8_t { none, own, told };
  Table<BufferId, Manner> manner;
  // Loads whose numbers say what is done, and stores to memory that says nothing else: no engine
  // does them again.
  Table<StmtId, bool> statements;
};

// Of integers in smem that nothing in a parallel loop stores: points have it from nobody else.
QuietNumbers quiet_numbers(const Program& program);

}  // namespace tessera
