// Commands of gmm-run inside another program. Files may be in memory (core/data/held_files.h). The
// report is returned as text and as a JSON object. The state of the process is not changed, except
// the thread count (--threads), which each run sets. Calls may be concurrent, each with its own
// HeldFiles; they share the thread count.
#pragma once
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/data/held_files.h"
#include "core/report/expected.h"
#include "core/report/stop.h"

namespace tessera::cli {

struct Answer {
  int exit_code = 0;   // same as for gmm-run
  std::string object;  // JSON object; empty if the command has none
  std::string out;     // report as text
  std::string err;     // errors of the call
};

// Runs one command line, without the program name. Words can name entries of `files` for reading
// and writing, like files on the disk. stop: ends the command early when set; may be null.
Answer answer(const std::vector<std::string>& args, HeldFiles& files, Stop stop);

// Returns the options of a command line that begins with these words, for example `verify`, `gmm`,
// without --json and --help. Fails if the first word is not a command.
Expected<Options> options_of(const std::vector<std::string>& words);

}  // namespace tessera::cli
