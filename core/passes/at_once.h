// Expansion of pipelines with synchronous block moves. The core fetches a block itself at its first
// use and stores it when it moves on, with ops of its own. There are no slots ahead, no copies in
// flight and no waits, so a run is short. The effects outside of the pipeline are the same as with
// the asynchronous form, where all copies begin and end inside the pipeline.
// docs/internals/engines.md explains why this suffices for planning, and for which pipelines.
#pragma once
#include <cstdint>

#include "core/lang/language.h"
#include "core/passes/pipeline_parts.h"
#include "core/program/program.h"

namespace tessera {

// True if synchronous block moves make no observable difference, except for the contents of slots
// ahead of their use. parts: parts of a pipeline of `structured`. Conditions:
//   - The body does not synchronise, copy, allocate or contain a pipeline.
//   - No other window of the pipeline is on the memory of an output window.
//   - A window that is fetched before it is stored has one slot, so each block is stored before the
//     next one is fetched.
bool can_move_at_once(const Program& structured, const PipelineParts& parts);

// Returns the result of expand(), but with synchronous moves in the pipelines that allow them;
// fails like expand(). Each of these pipelines is a region for which pipeline_of() returns it. Such
// a program can be run but not printed: it has no text form.
Expected<Program> expand_at_once(const Program& structured, const Expansion& how = {});

// True if a run of expand_at_once(structured) shows the effects of each iteration of its parallel
// loops separately: iterations only compute, and a pipeline stores its blocks at the end of an
// iteration. Fetched blocks may stay across iterations, because memory that the pipeline stores is
// not fetched. False also if a pipeline cannot be expanded.
bool tells_points(const Program& structured);

// True for a program of expand_at_once().
bool is_at_once(const Program& expanded);
// True for a copy of such a program that its core executes itself, in one step.
bool is_at_once(const Program& expanded, const Op& op);
// Returns the smem buffer with the state of the windows, which is not used for anything else; none:
// another program, or one whose windows need no state.
BufferId at_once_state(const Program& expanded);
// Returns for each buffer: true if a pipeline with synchronous moves allocates it for its windows.
// All false for another program.
Table<BufferId, bool> at_once_slots(const Program& expanded);
// Returns the pipeline of the structured program for the region that `op` opens; none: another op.
StmtId pipeline_of(const Op& op);

// Used by Expander and its writers:
// Returns the op that opens the region of a pipeline of the structured program, for pipeline_of();
// text: name of the region.
Trace pipeline_mark(StmtId pipeline, TextId text);
// Marks a program as one of expand_at_once(). semaphore: the one on which synchronous copies count;
// state: result of at_once_state(), may be none.
void mark_at_once(Semaphore& semaphore, BufferId state);
// Return the number of smem integers that the asynchronous form uses for a window, and for a whole
// pipeline with its windows.
std::int64_t numbers_of(const Program& structured, const PipelineWindow& window);
std::int64_t numbers_of(const Program& structured, const PipelineParts& parts);

}  // namespace tessera
