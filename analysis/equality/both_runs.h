// Runs of two programs over the same fields with the same operands.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/equality/finite_field_run.h"
#include "interp/launch.h"

namespace tessera::fields {

// Program of a comparison, with its operands.
struct Side {
  KeptRun& run;
  std::uint64_t apart = 0;  // seed of undefined values
  Cuts cuts{};

  const Program& program() const { return run.program; }
};

// Finished run with its memory.
struct Ran {
  std::vector<std::unique_ptr<FiniteFieldRun>> values;  // one per draw
  std::unique_ptr<Machine> machine;
  RunResult result;
};

// True if the program has an op that uses e to a power (exp, expm1, logistic).
bool has_exponentials(const Program& program);

// Runs a program over several fields in one run. has_exponents: tiles have values modulo q; true if
// one of the compared programs has_exponentials(). change: applied to an operand. A stop or lack of
// memory either ends the run early (Ran::result.end) or is an error; findings are no error.
// Replaces the options of the kept run, and overwrites its results. The draws and the kept run must
// outlive the result.
Expected<Ran> run_over(const Side& side, std::span<const Draw> draws, bool has_exponents,
                       const std::optional<Change>& change = std::nullopt);

// Runs a program with one observer, and nothing else. Replaces the options of the kept run, and
// overwrites its results. Fails if the run is cut short; findings are no error.
Expected<void> observe(KeptRun& program, Observer& observer);

}  // namespace tessera::fields
