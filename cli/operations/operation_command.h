// The command of an operation: operands, one launch, the verdict on its results, and one report.
#pragma once
#include "cli/command.h"
#include "cli/operations/operation_call.h"
#include "cli/reports/console.h"

namespace tessera::cli {

int run_operation(PrepareOperation prepare, const Arguments& arguments, Console& console);
// The same call for `verify`.
Expected<Prepared> verifiable_operation(PrepareOperation prepare, const Arguments& arguments);

// The functions of a command that is one operation.
template <PrepareOperation prepare>
int run_operation(const Arguments& arguments, Console& console) {
  return run_operation(prepare, arguments, console);
}
template <PrepareOperation prepare>
Expected<Prepared> verifiable_operation(const Arguments& arguments) {
  return verifiable_operation(prepare, arguments);
}

}  // namespace tessera::cli
