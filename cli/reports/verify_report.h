// Report on a certificate.
#pragma once
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// Return the report as lines of text and as JSON. seconds: time of the whole command.
std::string verify_lines(const Arguments& arguments, const Prepared& prepared,
                         const Certificate& certificate, double seconds);
Json verify_json(const Arguments& arguments, const Prepared& prepared,
                 const Certificate& certificate, double seconds);

}  // namespace tessera::cli
