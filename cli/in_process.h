// Commands of gmm-run inside another program: files may lie in memory (core/data/held_files.h), the
// report comes back as text and as an object, and nothing of the process changes. Several threads
// may run one each.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/data/held_files.h"
#include "core/report/expected.h"
#include "core/report/stop.h"

namespace tessera::cli {

struct Answer {
  int exit_code = 0;   // as gmm-run's
  std::string object;  // the JSON object; empty of a command that has none
  std::string out;     // the report for people
  std::string err;     // what is wrong with the call
};

// Runs one command line; what it reads of `files`, and what it writes there, is by their names.
Answer answer(const std::vector<std::string>& args, HeldFiles& files, Stop stop);

// What a command takes when its words begin with these: `verify`, `gmm`.
Expected<Options> options_of(const std::vector<std::string>& words);

}  // namespace tessera::cli
