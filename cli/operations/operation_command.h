// The command of an operation: operands, one launch, the verdict on its results, and one report.
#pragma once
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "cli/operations/operation_call.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// Prepares the call, runs and checks it, writes its output files and prints the report or the
// errors; returns the exit code.
int run_operation(PrepareOperation prepare, const Arguments& arguments, Console& console);
// Prepares the same call for `verify`, without running it. Fails if `prepare` fails, and with
// ErrorCode::unsupported if the call makes several launches. Prepared::simulate fails with
// ErrorCode::unsupported if the launch is not a simulated run.
Expected<Prepared> verifiable_operation(PrepareOperation prepare, const Arguments& arguments);

// Returns the command of an operation.
template <PrepareOperation prepare>
Command operation_command(std::string_view name, std::string_view summary,
                          std::string_view examples, Options options) {
  return {name,
          "",
          summary,
          examples,
          std::move(options),
          [](const Arguments& arguments, Console& console) {
            return run_operation(prepare, arguments, console);
          },
          [](const Arguments& arguments) { return verifiable_operation(prepare, arguments); }};
}

}  // namespace tessera::cli
