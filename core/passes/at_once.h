// Pipelines whose blocks move at once: the core fetches a block itself when it is used first, and
// stores it when it is left, as ops of its own. There are no slots ahead, no copies in flight and
// no waits, so that a run of it is short. What it does to all that others can reach is what the
// expanded form does, whose copies begin and end inside the pipeline: docs/engines.md says why that
// is enough to plan by, and for which pipelines.
#pragma once
#include <cstdint>

#include "core/lang/language.h"
#include "core/passes/pipeline_parts.h"
#include "core/program/program.h"

namespace tessera {

// Whether nobody can tell the pipeline from one whose blocks move at once, but for what the slots
// hold ahead of their use: its body neither synchronises nor copies nor has pipelines of its own;
// no memory that it stores is that of another of its windows; and what it fetches before it stores
// it has one slot, which is stored before the next is fetched.
bool can_move_at_once(const Program& structured, const PipelineParts& parts);

// expand(), with those pipelines moving at once. Each is a region that pipeline_of() tells. Such a
// program is run, and never printed: no text can say it.
Expected<Program> expand_at_once(const Program& structured, const Expansion& how = {});

// Whether a run of expand_at_once(structured) tells what each point of its parallel loops does:
// these only compute, and what a pipeline stores goes back at the end of a point. Blocks that are
// fetched may stay from point to point, for nothing that the pipeline stores is fetched.
bool tells_points(const Program& structured);

// Of programs of expand_at_once(), and their ops.
bool is_at_once(const Program& expanded);
// A copy that its core does itself, in one step.
bool is_at_once(const Program& expanded, const Op& op);
// The numbers that its windows remember; nobody else reads them. None: of another program.
BufferId at_once_state(const Program& expanded);
// Memory that such a pipeline has for its windows.
Table<BufferId, bool> at_once_slots(const Program& expanded);
// The pipeline of the structured program that runs in this region; none: it is another one.
StmtId pipeline_of(const Op& op);

// For Expander and those who write for it:
Trace pipeline_mark(StmtId pipeline, TextId text);
void mark_at_once(Semaphore& semaphore, BufferId state);
// Numbers of scalar memory that the expanded form would take for a window, and for all of them.
std::int64_t numbers_of(const Program& structured, const PipelineWindow& window);
std::int64_t numbers_of(const Program& structured, const PipelineParts& parts);

}  // namespace tessera
