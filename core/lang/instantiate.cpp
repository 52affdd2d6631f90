// The entry point that turns a parsed kernel into a program.
#include <fmt/format.h>

#include "core/lang/elaborator.h"
#include "core/report/guarded.h"

namespace tessera {

Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& launch) try {
  if (const auto found = module.kernel_nodes.find(kernel); found != module.kernel_nodes.end()) {
    const ast::Kernel& node = *found->second.node;
    std::vector<const Module*> modules{&module};
    modules.insert(modules.end(), library.begin(), library.end());
    Expected<Program> one = Elaborator(node.name, modules, launch).kernel(node, settings, nullptr);
    if (!one || launch.calls <= 1) return one;
    return Elaborator(node.name, modules, launch).kernel(node, settings, &*one);
  }
  std::string known;
  for (const KernelInfo& k : module.kernels) known += (known.empty() ? "" : ", ") + k.name;
  return error(fmt::format("{} has no kernel `{}`; it has {}", module.source->name, kernel,
                           known.empty() ? "none" : known));
} catch (...) {
  return given_up("instantiating the kernel");
}

}  // namespace tessera
