#include "core/lang/elaborator.h"

#include "core/passes/simplify.h"

namespace tessera {

Expected<Program> Elaborator::kernel(const ast::Kernel& kernel, const Settings& settings,
                                     const Program* one_call) {
  const Diags& diags = draft.diags();
  Builder& builder = draft.builder();
  builder.program().doc = kernel.doc;
  parameters.bind(kernel, settings);
  if (!diags.empty()) return diags;
  declarations.declare_all(kernel.declarations, false);
  if (!diags.empty()) return diags;
  if (one_call != nullptr) launches.begin(kernel, *one_call);
  statements.block(kernel.body);
  if (one_call != nullptr)
    launches.end();
  else
    scoped.free_from(0);
  functions.check(kernel);
  if (!diags.empty()) return diags;
  Program program = simplify(builder.finish());
  Diags problems = verify(program);
  if (!problems.empty()) return problems;
  return program;
}

}  // namespace tessera
