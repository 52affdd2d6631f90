// Ids of the parts of a program. Each indexes the table of Program named in its comment.
#pragma once  // public
#include "core/program/id.h"

namespace tessera {

using ValueId = Id<struct Value>;          // a value: Program::values
using BufferId = Id<struct Buffer>;        // an operand, a result or scratch: Program::buffers
using SemaphoreId = Id<struct Semaphore>;  // one semaphore or an array: Program::semaphores
using TextId = Id<struct LiteralText>;     // a literal text: Program::texts
using PlaceId = Id<struct Place>;          // a place in the source: Program::places
using StmtId = Id<struct Stmt>;            // a statement: Program::body
using LoopId = Id<struct Loop>;            // a loop or grid dimension of the source: Program::loops

}  // namespace tessera
