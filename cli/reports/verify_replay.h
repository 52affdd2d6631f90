// Command lines that repeat verified runs.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// Options that replay a finding: the second order of the first race with schedules, otherwise the
// witness for another order of points, otherwise the recorded run.
struct Replay {
  std::string schedule;  // text for --schedule
  CopyGranularity granularity = CopyGranularity::whole;
  int loop_workers = 0;  // for --loop-workers
};
// Returns these options. `schedule` may be longer than longest_schedule (report.h).
Replay replay_of(const Certificate& certificate);
// Returns the command line of the replay, replay_of(). With --save-schedule the line reads the
// schedule from that file. Before a schedule that is too long for a line, and
// neither saved nor given by the user, the line has a command that stores it. That command writes a
// pack; for a program in a pack or from standard input it writes a file with the schedule.
std::string verify_replay_line(const Arguments& arguments, const RunRequest& request,
                               const Certificate& certificate);
// Returns the words of the replay without the program's name, with the schedule whatever its
// length.
std::vector<std::string> verify_replay_words(const Arguments& arguments,
                                             const Certificate& certificate);
// Returns the command line of a run with this schedule, without the options of `verify`. It has
// --copy-granularity partial and --loop-workers only if required.
std::string schedule_words(const Arguments& arguments, const std::string& schedule,
                           CopyGranularity granularity, int loop_workers = 0);

}  // namespace tessera::cli
