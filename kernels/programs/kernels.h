// The embedded kernels: their list, their texts as modules, and programs made of them.
#pragma once  // public
#include <span>
#include <string_view>
#include <vector>

#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera {

// A built-in kernel: what the end of kernels/programs/NAME.tsr says.
struct Kernel {
  std::string_view name;        // of the kernel and of its file
  std::string_view command;     // of gmm-run; `run` for kernels without a command of their own
  std::string_view small_call;  // words after `gmm-run verify`: small sizes at which no op is idle
};

// All built-in kernels, in the order of their names.
std::span<const Kernel> kernels();
// The one of that name, or null.
const Kernel* find_kernel(std::string_view name);

// The module of kernels/programs/NAME.tsr, parsed once a process. An error for an unknown name.
Expected<const Module*> embedded_module(std::string_view name);
// The modules whose functions every kernel may call, also those in files of users: the `library` of
// instantiate().
Expected<std::vector<const Module*>> function_library();

// A built-in kernel with its parameters fixed, in structured form. Errors are those of
// instantiate().
Expected<Program> make_kernel(std::string_view name, const Settings& settings,
                              const InstantiateOptions& launch = {});

}  // namespace tessera
