// Instantiation of parsed kernels as programs.
#include <fmt/format.h>

#include "core/lang/binders.h"
#include "core/lang/functions.h"
#include "core/lang/launches.h"
#include "core/lang/statement_lowering.h"
#include "core/passes/simplify.h"
#include "core/report/guarded.h"

namespace tessera {
namespace {

// Fails if the kernel or its settings are invalid. one_call: the program of a single launch if
// there are several launches; null otherwise.
Expected<Program> elaborate(Elaboration&& e, const ast::Kernel& kernel, const Settings& settings,
                            const Program* one_call) {
  e.program().doc = kernel.doc;
  bind_parameters(e, kernel, settings);
  if (!e.diags.empty()) return e.diags;
  declare_all(e, kernel.declarations, false);
  if (!e.diags.empty()) return e.diags;
  std::vector<ValueId> semaphores;
  if (one_call != nullptr) semaphores = begin_launches(e, kernel, *one_call);
  block(e, kernel.body);
  if (one_call != nullptr)
    end_launches(e, semaphores);
  else
    e.free_from(0);
  check_functions(e, kernel);
  if (!e.diags.empty()) return e.diags;
  Program program = simplify(e.builder.finish());
  Diags problems = verify(program);
  if (!problems.empty()) return problems;
  return program;
}

}  // namespace

Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& launch) try {
  if (const auto found = module.kernel_nodes.find(kernel); found != module.kernel_nodes.end()) {
    const ast::Kernel& node = *found->second.node;
    std::vector<const Module*> modules{&module};
    modules.insert(modules.end(), library.begin(), library.end());
    Expected<Program> one = elaborate({node.name, modules, launch}, node, settings, nullptr);
    if (!one || launch.calls <= 1) return one;
    return elaborate({node.name, modules, launch}, node, settings, &*one);
  }
  std::string known;
  for (const KernelInfo& k : module.kernels) known += (known.empty() ? "" : ", ") + k.name;
  return error(fmt::format("{} has no kernel `{}`; it has {}", module.source->name, kernel,
                           known.empty() ? "none" : known));
} catch (...) {
  return given_up("instantiating the kernel");
}

}  // namespace tessera
