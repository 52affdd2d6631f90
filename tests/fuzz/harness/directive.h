// How a program is to be run: the words of its first line of the form "// RUN: ...", as the golden
// tests have them, as far as they concern a run. Numbers are cut to what a harness has time for.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/language.h"
#include "interp/run.h"

namespace tessera::fuzz {

struct Directive {
  std::string kernel;
  Settings settings;
  InstantiateOptions launch;
  RunOptions run;
  std::string profile = "v5e";
  CopyGranularity granularity = CopyGranularity::partial;  // of the analysis
  bool asks_necessity = false, asks_mutants = false, is_timed = false;
  std::uint64_t seed = 0;
  std::map<std::string, std::vector<double>> inputs;  // by operand
  std::int64_t failing_after = -1;                    // --fail N: the N-th allocation fails
  std::int64_t stopping_after = -1;                   // --stop N: the N-th event asks to stop
};

Directive read_directive(std::string_view text);

}  // namespace tessera::fuzz
