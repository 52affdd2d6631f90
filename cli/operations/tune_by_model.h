// `tune` for operations and programs on the interpreter. Candidates are command lines; their times
// are modelled from the events of a run.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// Report of a tuning, without its duration.
struct TuneReport {
  Status status = Status::ok;  // `environment` if the winner could not be stored
  Json object = {{"status", ""}};
  std::string text;
  bool has_times = true;  // false: only times expected by a model, nothing was timed
};

// --tune NAME=V1,V2,...
Option tune_option();
// Returns the options of the tuned command that affect the model, and --tune.
Options model_options(const Command& command);
// Compares the times that the model expects for the candidates of `command`, the operation or
// program of `arguments`, which must have a word. Reports a table of them, the best candidate, and
// the command line that uses it. Fails for wrong or missing --tune values, and for options that
// change nothing. ErrorCode::unsupported: for another device than the interpreter, and for an
// operation without tunable parts. ErrorCode::runtime: if no candidate except the unchanged command
// has a time.
Expected<TuneReport> tune_by_model(const Command& command, const Arguments& arguments);

}  // namespace tessera::cli
