// Values of parameters, and types of memory in declarations. Errors are reported at their
// locations.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Binds the parameters of a kernel to the settings or to their defaults in the current names, and
// adds them to e.program().settings. Reports unsuitable or missing values, and settings without a
// parameter.
void bind_parameters(Elaboration& e, const ast::Kernel& kernel, const Settings& settings);

// Returns the arguments in the order of the parameters, as pointers into `node`, null for a missing
// argument; none after an error: an unknown or repeated parameter, or too many arguments.
std::optional<std::vector<const ast::Expression*>> arguments_of(Elaboration& e,
                                                                const ast::Function& function,
                                                                const ast::Call& node);
// Binds one argument to its parameter in `into`. A parameter without a type accepts any value, also
// a semaphore or a tile. `name: f32[dims]` accepts memory of that type and defines the names of its
// extents. An unknown name in place of the element type is defined too: `a: T[m, k], b: T[k, n]`
// accepts two matrices of the same, arbitrary type. False after an error.
bool bind_argument(Elaboration& e, const ast::Parameter& parameter, const ast::Expression& argument,
                   Environment* into);

// Returns the element type of a type name, a type parameter or accumulator(...); none after an
// error.
std::optional<DType> element_type(Elaboration& e, const ast::Expression& node);
// Returns the type of an `accumulator` call, which must have one or two arguments; none after an
// error.
std::optional<DType> accumulator_type(Elaboration& e, const ast::Call& node);
// Returns the memory space with this name; none after an error.
std::optional<Space> memory_space(Elaboration& e, const ast::Name& node);
// Returns the extents, which must be known; none after an error, also for a shape_problem() or more
// than max_rank dimensions. loc: location of the whole type, for errors of the whole shape.
std::optional<Shape> known_shape(Elaboration& e, const std::vector<ast::Expression>& extents,
                                 const Loc& loc);

}  // namespace tessera
