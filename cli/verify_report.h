// What a certificate reads like.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// ok, finding, or unsupported when nothing else was found.
Status status_of(const Certificate& certificate);

// The command line that replays the finding: the second order of its first race, else the run.
std::string replay_line(const Arguments& arguments, const RunRequest& request,
                        const Certificate& certificate);
std::string verify_lines(const Arguments& arguments, const Prepared& prepared,
                         const Certificate& certificate, double seconds);
Json verify_json(const Arguments& arguments, const Prepared& prepared,
                 const Certificate& certificate, double seconds);

}  // namespace tessera::cli
