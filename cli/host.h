// The process that runs a command: gmm-run, or another program that continues afterwards.
#pragma once
#include <string>
#include <vector>

#include "cli/reports/console.h"
#include "core/data/held_files.h"
#include "core/report/stop.h"

namespace tessera::cli {

struct Host {
  Stop stop = nullptr;        // ends the command early when set; may be null
  bool owns_process = false;  // true: the memory of the process may be capped
  HeldFiles* held = nullptr;  // files in memory; may be null
  Files* files = nullptr;     // files of the command, with the same `held`; null: new ones
};

// Runs one command line, without the program name; returns the exit code. Errors, also failed
// allocations, are printed to the console.
int run(const std::vector<std::string>& args, Console& console, const Host& host);

}  // namespace tessera::cli
