#include "core/lang/elaborator.h"

#include "core/passes/simplify.h"

namespace tessera {

Expected<Program> Elaborator::kernel(const ast::Kernel& kernel, const Settings& settings,
                                     const Program* one_call) {
  const Diags& diags = draft_.diags();
  Builder& builder = draft_.builder();
  builder.program().doc = kernel.doc;
  parameters_.bind(kernel, settings);
  if (!diags.empty()) return diags;
  declarations_.declare_all(kernel.declarations, false);
  if (!diags.empty()) return diags;
  if (one_call != nullptr) launches_.begin(kernel, *one_call);
  statements_.block(kernel.body);
  if (one_call != nullptr)
    launches_.end();
  else
    scoped_.free_from(0);
  functions_.check(kernel);
  if (!diags.empty()) return diags;
  Program program = simplify(builder.finish());
  Diags problems = verify(program);
  if (!problems.empty()) return problems;
  return program;
}

}  // namespace tessera
