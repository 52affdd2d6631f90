// Values of parameters, and types of memory as a program writes them. Errors are reported at their
// places.
#pragma once
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// The parameters of a kernel, as settings give them or as their defaults are. Reports settings that
// are of no parameter.
void bind_parameters(Elaboration& e, const ast::Kernel& kernel, const Settings& settings);

// The arguments in the order of the parameters, null where there is none; nothing after an error.
std::optional<std::vector<const ast::Expression*>> arguments_of(Elaboration& e,
                                                                const ast::Function& function,
                                                                const ast::Call& node);
// A scalar parameter takes a value; `name: f32[dims]` takes memory of that type and names its
// extents. A type that is no element type and not known yet is named as well: `a: T[m, k], b: T[k,
// n]` takes two matrices of one type, whichever. False after an error.
bool bind_argument(Elaboration& e, const ast::Parameter& parameter, const ast::Expression& argument,
                   Environment* into);

// A type by its name, a type parameter, or accumulator(T).
std::optional<DType> element_type(Elaboration& e, const ast::Expression& node);
// Of a call of `accumulator` with one or two types.
std::optional<DType> accumulator_type(Elaboration& e, const ast::Call& node);
std::optional<Space> memory_space(Elaboration& e, const ast::Name& node);
// Extents that are known; loc: of the whole type.
std::optional<Shape> known_shape(Elaboration& e, const std::vector<ast::Expression>& extents,
                                 const Loc& loc);

}  // namespace tessera
