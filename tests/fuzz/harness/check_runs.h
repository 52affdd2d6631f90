// What must hold of the runs and the verdict of a program, whatever it does.
#pragma once
#include <functional>
#include <string>

#include "core/lang/language.h"
#include "tests/fuzz/harness/directive.h"
#include "tests/fuzz/harness/harness.h"

namespace tessera::fuzz {

struct Case {
  const Directive& directive;
  const Module& module;
  const Program& program;  // in structured form
  // The same of another text, for waits that are tried.
  std::function<Expected<Program>(const std::string& text)> instantiated;
  std::uint64_t draw;  // what is done of all that could be, by its bits
};

// Runs it, again by its recorded schedule, verifies it, and compares what follows from the verdict.
void check_runs(const Case& about, Deadline& deadline);

}  // namespace tessera::fuzz
