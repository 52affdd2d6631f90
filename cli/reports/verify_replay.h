// The command lines that run what was verified again.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// What replays the finding: the second order of its first race, else another order of the points,
// else the run.
struct Replay {
  std::string schedule;  // text for --schedule
  CopyGranularity granularity = CopyGranularity::whole;
  int loop_workers = 0;  // with --loop-workers
};
Replay replay_of(const Certificate& certificate);
// Its command line; a schedule that is too long for one stands in a file.
std::string verify_replay_line(const Arguments& arguments, const RunRequest& request,
                               const Certificate& certificate);
// The command line that runs it under this schedule, in place of the options that `verify` took;
// with --copy-granularity partial where it lands so, and with --loop-workers when there are any.
std::string schedule_words(const Arguments& arguments, const std::string& schedule,
                           CopyGranularity granularity, int loop_workers = 0);

}  // namespace tessera::cli
