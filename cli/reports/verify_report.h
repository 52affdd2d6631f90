// What a certificate reads like.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// ok, finding, or unsupported when nothing else was found.
Status status_of(const Certificate& certificate);

// What replays the finding: the second order of its first race, else another order of the points,
// else the run.
struct Replay {
  std::string schedule;     // text for --schedule
  bool is_partial = false;  // with --landing partial
  int point_cores = 0;      // with --point-cores
};
Replay replay_of(const RunRequest& request, const Certificate& certificate);
// Its command line; a schedule that is too long for one stands in a file.
std::string replay_line(const Arguments& arguments, const RunRequest& request,
                        const Certificate& certificate);
std::string verify_lines(const Arguments& arguments, const Prepared& prepared,
                         const Certificate& certificate, double seconds);
Json verify_json(const Arguments& arguments, const Prepared& prepared,
                 const Certificate& certificate, double seconds);

}  // namespace tessera::cli
