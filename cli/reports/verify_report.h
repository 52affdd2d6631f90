// What a certificate reads like.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// For people, a line for each thing to tell, and as one object; seconds: of the whole command.
std::string verify_lines(const Arguments& arguments, const Prepared& prepared,
                         const Certificate& certificate, double seconds);
Json verify_json(const Arguments& arguments, const Prepared& prepared,
                 const Certificate& certificate, double seconds);

}  // namespace tessera::cli
