// Pipelines that a run reported but did not execute, because an earlier one did the same
// (analysis/planning/memoised_pipelines.h). Their actions are stored once per pattern.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/host/grown_array.h"
#include "core/program/program.h"
#include "interp/machine/topology.h"

namespace tessera::graph {

struct Memory;
struct Action;
struct Pattern;
struct Instance;
using MemoryId = Id<Memory>;
using ActionId = Id<Action>;
using PatternId = Id<Pattern>;
using InstanceId = Id<Instance>;

// The consecutive actions of the first pipeline of a pattern.
struct Pattern {
  // A memory that the pipeline accesses.
  struct Reached {
    MemoryId memory{};
    ValueId number;               // value of a loaded scalar; none: the memory has a buffer
    std::int64_t generation = 0;  // inner memory: allocation number within the pipeline
  };
  ActionId first{}, last{};        // [first, last)
  std::vector<Reached> reached{};  // loaded scalars, then buffers in the order of their first use
  std::vector<BufferId> begun{};   // buffers that it allocates, in order
  std::int64_t commit = 0;         // steps from its begin to its first action
};

// A later pipeline of the pattern, and the positions in the log when it began.
struct Instance {
  PatternId pattern{};
  CoreIndex core{};
  ActionId next_action{};
  MemoryId next_memory{};
  std::size_t memories = 0;  // index of its first memory in Instances::memories
};

struct Instances {
  // The memory of an instance for one of Pattern::reached. Inner memory has no id until unfold()
  // creates it, with this generation.
  struct Own {
    MemoryId memory{};
    std::int64_t generation = 0;
  };
  Table<PatternId, Pattern> patterns{};
  Table<InstanceId, Instance, GrownArray<Instance>> all{};  // in the order of the run
  GrownArray<Own> memories{};

  const Pattern& pattern(InstanceId id) const { return patterns[all[id].pattern]; }
  // Indexed like Pattern::reached. Stays valid until `memories` grows.
  std::span<const Own> memories_of(InstanceId id) const {
    return {memories.begin() + all[id].memories, pattern(id).reached.size()};
  }
};

}  // namespace tessera::graph
