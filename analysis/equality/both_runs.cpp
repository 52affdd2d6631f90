#include "analysis/equality/both_runs.h"

#include <algorithm>

#include "core/report/stop.h"
#include "core/report/try.h"
#include "interp/cut_off.h"
#include "interp/findings/exit_checks.h"
#include "interp/machine/control_flow.h"
#include "interp/rerun.h"

namespace tessera::fields {
namespace {

// The machine computes products of integers, and skips them in a run without arithmetic.
bool needs_arithmetic(const Program& program) {
  const auto is_integer_product = [&](const Stmt& statement) {
    const auto* const op = std::get_if<Matmul>(&statement.op);
    return op != nullptr && is_integer(program.buffer(op->acc.base)->dtype);
  };
  return control_needs_arithmetic(program) ||
         std::any_of(program.body.begin(), program.body.end(), is_integer_product);
}

void settle_options(KeptRun& program) {
  RunOptions& options = program.options;
  options = options_of_rerun(options);
  options.math = needs_arithmetic(program.program) ? Math::library : Math::none;
  options.copies.granularity = CopyGranularity::whole;
  options.checks.enabled = true;
  options.checks.uninitialised = Uninitialised::use;
  options.record.results = options.record.schedule = false;
  options.progress = {};
}

}  // namespace

bool has_exponentials(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(), [](const Stmt& statement) {
    const Op& op = statement.op;
    return std::holds_alternative<Exp>(op) || std::holds_alternative<Expm1>(op) ||
           std::holds_alternative<Logistic>(op);
  });
}

Expected<Ran> run_over(const Side& side, std::span<const Draw> draws, bool has_exponents,
                       const std::optional<Change>& change) {
  Ran ran;
  KeptRun& program = side.run;
  settle_options(program);
  std::vector<Observer*> observers;
  for (const Draw& draw : draws) {
    const std::uint64_t apart = SplitMix::mix(side.apart + draw.key);
    ran.values.push_back(
        std::make_unique<FiniteFieldRun>(draw, apart, has_exponents, side.cuts, change));
    observers.push_back(ran.values.back().get());
  }
  const ScopedObservers scope(program, std::move(observers));
  ran.machine = TRY(launched(program.program, program.bindings(), program.options));
  for (const auto& values : ran.values) values->attach(*ran.machine);
  ran.result = TRY(ran.machine->run(exit_findings));
  return ran;
}

Expected<void> observe(KeptRun& program, Observer& observer) {
  settle_options(program);
  const ScopedObservers scope(program, {&observer});
  const auto machine = TRY(launched(program.program, program.bindings(), program.options));
  const RunResult result = TRY(machine->run(exit_findings));
  if (result.end != RunEnd::program) return cut_off(result.end, "the run");
  return {};
}

}  // namespace tessera::fields
