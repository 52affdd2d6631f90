// tune of whatever runs on the interpreter: candidates are command lines, and their times those of
// the model of a run's events.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// The report of a tuning, without how long it took.
struct TuneReport {
  Status status = Status::ok;  // `environment` if the winner could not be kept
  Json object = {{"status", ""}};
  std::string text;
  bool has_times = true;  // false: a model's expectations, and nothing was timed
};

// --tune NAME=V1,V2,...
Option tune_option();
// Options of the command that is tuned that mean nothing here are left out; --tune is added.
Options model_options(const Command& command);
// Times the candidates of `command`, the operation or the program that `arguments` call: a table of
// them, the best one and the command that uses it.
Expected<TuneReport> tune_by_model(const Command& command, const Arguments& arguments);

}  // namespace tessera::cli
