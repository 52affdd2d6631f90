// tune of whatever runs on the interpreter: candidates are command lines, and their times those of
// the model of a run's events.
#pragma once
#include "cli/command.h"

namespace tessera::cli {

// --tune NAME=V1,V2,...
Option tune_option();
// Options of the command that is tuned that mean nothing here are left out; --tune is added.
Options model_options(const Command& command);
// Times the candidates of `command`, the operation or the program that `arguments` call; prints a
// table of them, the best one and the command that uses it.
int tune_by_model(const Command& command, const Arguments& arguments, Console& console);

}  // namespace tessera::cli
