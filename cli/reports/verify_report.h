// Report on a certificate.
#pragma once
#include <string>

#include "cli/command.h"
#include "cli/reports/coverage_report.h"

namespace tessera::cli {

// Return the report as lines of text and as JSON. changes: the sizes that were found for
// the notes on coverage. seconds: time of the whole command.
std::string verify_lines(const Arguments& arguments, const Prepared& prepared,
                         const Certificate& certificate, const SizeChanges& changes,
                         double seconds);
Json verify_json(const Arguments& arguments, const Prepared& prepared,
                 const Certificate& certificate, const SizeChanges& changes, double seconds);

}  // namespace tessera::cli
