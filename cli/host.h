// Who runs a command: the program gmm-run, which is there for it, or another one that goes on
// afterwards.
#pragma once
#include <string>
#include <vector>

#include "cli/reports/console.h"
#include "core/data/held_files.h"
#include "core/report/stop.h"

namespace tessera::cli {

struct Host {
  Stop stop = nullptr;        // ends the work when it is set
  bool owns_process = false;  // the process may be given a cap of memory
  HeldFiles* held = nullptr;  // files in memory; may be null
};

// Runs one command line, the program's name left out; returns the exit code.
int run(const std::vector<std::string>& args, Console& console, const Host& host);

}  // namespace tessera::cli
