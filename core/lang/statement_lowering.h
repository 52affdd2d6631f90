// Statements and declarations: each is lowered to the ops that it stands for. Errors are reported.
#pragma once
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

void block(Elaboration& e, const ast::Block& node);
// The declarations and the body of a function: what it returns, an empty record when it returns
// nothing. Its parameters are bound in the names of now.
Entity result_of(Elaboration& e, const ast::Function& function);

// Definitions, branches, results of functions, requirements.
void lower(Elaboration& e, const ast::ScopedDeclaration& node);
void lower(Elaboration& e, const ast::CallStatement& node);
void lower(Elaboration& e, const ast::TraceRegion& node);
void lower(Elaboration& e, const ast::Require& node);
void lower(Elaboration& e, const ast::Definition& node);
void lower(Elaboration& e, const ast::If& node);
void lower(Elaboration& e, const ast::Return& node);
void lower(Elaboration& e, const ast::ReturnNamed& node);

// Loops, and the grid and the windows of pipelines.
void lower(Elaboration& e, const ast::For& node);
void lower(Elaboration& e, const ast::While& node);
void lower(Elaboration& e, const ast::Pipeline& node);
void lower(Elaboration& e, const ast::Grid& node);
void lower(Elaboration& e, const ast::Window& node);

// Stores to memory: numbers to scalar memory, tiles to rectangles.
void lower(Elaboration& e, const ast::Assignment& node);
void lower(Elaboration& e, const ast::Opaque& node);
// target = value. A tile's type must be the target's unless the value is a cast.
void store(Elaboration& e, const Slice& target, const ast::Expression& value, const Loc& loc);

// Statements that move data and count on semaphores, and what begins and ends the lifetime of
// memory.
void lower(Elaboration& e, const ast::Start& node);
void lower(Elaboration& e, const ast::StartRemote& node);
// A copy of its own semaphore, awaited at once.
void lower(Elaboration& e, const ast::Copy& node);
void lower(Elaboration& e, const ast::Wait& node);
void lower(Elaboration& e, const ast::WaitFor& node);
// For what a copy that has a name reads and writes.
void lower(Elaboration& e, const ast::WaitCopy& node);
void lower(Elaboration& e, const ast::Await& node);
void lower(Elaboration& e, const ast::Signal& node);
void lower(Elaboration& e, const ast::Operate& node);

// The statements that look at a run.
void lower(Elaboration& e, const ast::Print& node);
void lower(Elaboration& e, const ast::Assert& node);
void lower(Elaboration& e, const ast::Breakpoint& node);

// Memory and semaphores. is_local: of a function or a block, at whose end it is freed.
void declare(Elaboration& e, const ast::Declaration& node, bool is_local);
void declare_all(Elaboration& e, const std::vector<ast::Declaration>& nodes, bool is_local);
// Each axis is a name for this device's coordinate from here on. A run on another number of devices
// is bad input.
void declare_mesh(Elaboration& e, const ast::MeshDeclaration& node);

}  // namespace tessera
