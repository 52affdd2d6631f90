// Functions that a kernel can call: the functions of its own file, then the libraries.
#pragma once
#include <string_view>

#include "core/lang/elaboration.h"

namespace tessera {

// Returns the function with this name from the first of e.modules that defines it; null if there is
// none.
const ast::Function* find_function(const Elaboration& e, std::string_view name);
// Reports that there is no function with this name, with a suggestion if there is a similar name.
// Returns an entity of kind `nothing`.
Entity unknown_function(Elaboration& e, const ast::Call& node);
// Reports calls of undefined functions in the kernel and the functions that it calls, even if they
// are unreachable: under known conditions, and in functions that are only called there. Calls with
// an error at their location are not reported again.
void check_functions(Elaboration& e, const ast::Kernel& kernel);

}  // namespace tessera
