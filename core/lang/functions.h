// The functions that a kernel can call: those of its file, then those of the libraries.
#pragma once
#include <string_view>

#include "core/lang/elaboration.h"

namespace tessera {

// The function of the first module that has one of that name, or null.
const ast::Function* find_function(const Elaboration& e, std::string_view name);
// Reports that there is none of that name, and which is near.
Entity unknown_function(Elaboration& e, const ast::Call& node);
// Reports what the kernel calls and nobody defines, also where nothing reaches it: behind
// conditions that are known, and in functions that are called there only.
void check_functions(Elaboration& e, const ast::Kernel& kernel);

}  // namespace tessera
