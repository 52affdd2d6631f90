// Runs of two programs over the same fields with the same operands.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/equality/finite_field_run.h"
#include "interp/launch.h"

namespace tessera::fields {

// A program of a comparison.
struct Side {
  KeptRun& run;
  std::uint64_t apart = 0;  // the seed of what is undefined in it
  Cuts cuts{};

  const Program& program() const { return run.program; }
};

// A run that is over, with the memory that it left.
struct Ran {
  std::vector<std::unique_ptr<FiniteFieldRun>> values;  // one for each draw
  std::unique_ptr<Machine> machine;
  RunResult result;
};

bool has_exponentials(const Program& program);

// Runs a program over several fields at once. Errors: memory, a stop.
Expected<Ran> run_over(const Side& side, std::span<const Draw> draws, bool has_exponents,
                       const std::optional<Change>& change = std::nullopt);

// Runs a program for who observes it alone.
Expected<void> observe(KeptRun& program, Observer& observer);

}  // namespace tessera::fields
