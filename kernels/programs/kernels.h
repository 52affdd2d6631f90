// The embedded kernels: their list, their texts as modules, and programs made of them.
#pragma once  // public
#include <span>
#include <string_view>
#include <vector>

#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera {

// What the end of kernels/programs/NAME.tsr says of the kernel.
struct Kernel {
  std::string_view name;        // of the kernel and of its file
  std::string_view command;     // of gmm-run; `run` for kernels without a command of their own
  std::string_view small_call;  // words after `gmm-run verify`: small sizes at which no op is idle
};

// In the order of their names.
std::span<const Kernel> kernels();
const Kernel* find_kernel(std::string_view name);

// The module of kernels/programs/NAME.tsr; parsed once.
Expected<const Module*> embedded_module(std::string_view name);
// The modules whose functions every kernel may call, users' files included.
Expected<std::vector<const Module*>> function_library();

// A kernel of the list with its parameters fixed, in structured form.
Expected<Program> make_kernel(std::string_view name, const Settings& settings,
                              const InstantiateOptions& launch = {});

}  // namespace tessera
