// Lowering of statements and declarations to ops. Errors are reported in the elaboration.
#pragma once
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Lowers the statements in order, in the current scope. Errors are added to e.diags.
void block(Elaboration& e, const ast::Block& node);
// Lowers the declarations and the body of a function. Its parameters must be bound in the current
// names. Returns the function's result; an empty record if there is none.
Entity result_of(Elaboration& e, const ast::Function& function);

// Lower definitions, local declarations, branches, results of functions, requirements, debug
// regions and calls to ops. Errors are added to the elaboration's diagnostics.
void lower(Elaboration& e, const ast::ScopedDeclaration& node);
void lower(Elaboration& e, const ast::CallStatement& node);
void lower(Elaboration& e, const ast::TraceRegion& node);
void lower(Elaboration& e, const ast::Require& node);
void lower(Elaboration& e, const ast::Definition& node);
void lower(Elaboration& e, const ast::If& node);
void lower(Elaboration& e, const ast::Return& node);
void lower(Elaboration& e, const ast::ReturnNamed& node);

// Lower loops, grids and windows of pipelines.
void lower(Elaboration& e, const ast::For& node);
void lower(Elaboration& e, const ast::While& node);
void lower(Elaboration& e, const ast::Pipeline& node);
void lower(Elaboration& e, const ast::Grid& node);
void lower(Elaboration& e, const ast::Window& node);

// Lower stores to memory (numbers to scalar memory, tiles to rectangles) and `opaque`.
void lower(Elaboration& e, const ast::Assignment& node);
void lower(Elaboration& e, const ast::Opaque& node);
// Lowers target = value; `target` must be memory. A tile must have the target's type, unless the
// value is a cast.
void store(Elaboration& e, const Slice& target, const ast::Expression& value, const Loc& loc);

// Lower statements that move data or count on semaphores, and the begin and end of memory
// lifetimes.
void lower(Elaboration& e, const ast::Start& node);
void lower(Elaboration& e, const ast::StartRemote& node);
// Lowers `copy` to a start with a semaphore of its own, followed by a wait.
void lower(Elaboration& e, const ast::Copy& node);
void lower(Elaboration& e, const ast::Wait& node);
void lower(Elaboration& e, const ast::WaitFor& node);
// Lowers the wait for a named copy: for both sides, or for one, `c.sent` or `c.arrived`.
void lower(Elaboration& e, const ast::WaitCopy& node);
void lower(Elaboration& e, const ast::Await& node);
void lower(Elaboration& e, const ast::Signal& node);
void lower(Elaboration& e, const ast::Operate& node);

// Lower debug statements.
void lower(Elaboration& e, const ast::Print& node);
void lower(Elaboration& e, const ast::Assert& node);
void lower(Elaboration& e, const ast::Breakpoint& node);

// Lower declarations of memory, semaphores and meshes, and bind their names. is_local: declared in
// a function or block and freed at its end.
void declare(Elaboration& e, const ast::Declaration& node, bool is_local);
void declare_all(Elaboration& e, const std::vector<ast::Declaration>& nodes, bool is_local);
// Lowers a mesh: adds its axes to e.mesh, and defines each axis's name as this device's coordinate.
// A run with another number of devices is invalid input.
void declare_mesh(Elaboration& e, const ast::MeshDeclaration& node);

}  // namespace tessera
