// The embedded kernels: their list, their texts as modules, and programs created from them.
#pragma once  // public
#include <span>
#include <string_view>
#include <vector>

#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera {

// A built-in kernel, with the data at the end of kernels/programs/NAME.tsr.
struct Kernel {
  std::string_view name;        // of the kernel and its file
  std::string_view command;     // command of gmm-run; `run` for kernels without their own command
  std::string_view small_call;  // words after `gmm-run verify`: small sizes that use every op
};

// All built-in kernels, in the order of their names.
std::span<const Kernel> kernels();
// Returns the kernel with this name, which is never freed; null if there is none.
const Kernel* find_kernel(std::string_view name);

// Returns the module of kernels/programs/NAME.tsr, which is parsed once per process and is never
// freed. Fails for an unknown name, and if the text does not parse.
Expected<const Module*> embedded_module(std::string_view name);
// Returns the modules whose functions every kernel may call, also kernels in files of users: the
// `library` of instantiate(). They are never freed.
Expected<std::vector<const Module*>> function_library();

// Instantiates a built-in kernel and returns its program in structured form. Fails for an unknown
// name, and like instantiate().
Expected<Program> make_kernel(std::string_view name, const Settings& settings,
                              const InstantiateOptions& launch = {});

}  // namespace tessera
