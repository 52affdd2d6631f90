// Pipelines that a run has told and not done, for one before them did the same
// (analysis/planning/memoised_pipelines.h): what they do is kept once for each pattern.
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

// What the first pipeline of a pattern did: actions that stand one behind the other.
struct Pattern {
  // Memory that it reaches.
  struct Reached {
    MemoryId memory{};
    ValueId number;  // of a number: whose; else of a buffer
    std::int64_t generation =
        0;  // of memory that begins in the pipeline: how many of its buffer's began
  };
  ActionId first{}, last{};        // [first, last)
  std::vector<Reached> reached{};  // numbers, then the others as they are first named
  std::vector<BufferId> begun{};   // whose lives begin in it, in order
  std::int64_t commit = 0;         // steps from its begin to its first action
};

// Another pipeline of the pattern, and what was recorded when it began.
struct Instance {
  PatternId pattern{};
  CoreIndex core{};
  ActionId next_action{};
  MemoryId next_memory{};
  std::size_t memories = 0;  // where its own are, in Instances::memories
};

struct Instances {
  // What stands for one that the pattern reaches. Memory that begins in the pipeline is none until
  // unfold(): then it has that lifetime.
  struct Own {
    MemoryId memory{};
    std::int64_t generation = 0;
  };
  Table<PatternId, Pattern> patterns{};
  Table<InstanceId, Instance, GrownArray<Instance>> all{};  // as they came
  GrownArray<Own> memories{};

  const Pattern& pattern(InstanceId id) const { return patterns[all[id].pattern]; }
  // By Pattern::reached.
  std::span<const Own> memories_of(InstanceId id) const {
    return {memories.begin() + all[id].memories, pattern(id).reached.size()};
  }
};

}  // namespace tessera::graph
