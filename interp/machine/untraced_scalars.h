// Scalar accesses that take no step and emit no event of their own.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// Maximum rank of an untraced scalar access.
inline constexpr std::size_t max_indices = 3;

struct UntracedScalars {
  // traced: each load and store is a step. untraced: only the core accesses the buffer, so no event
  // is emitted. batched: loads are reported as rectangles before the core synchronises; stores are
  // steps.
  enum class Mode : std::uint8_t { traced, untraced, batched };
  Table<BufferId, Mode> mode;
  // Loads that only compute control flow, and stores to memory that only such loads read. Engines
  // do not repeat them.
  Table<StmtId, bool> statements;
};

}  // namespace tessera
