// Searches for sizes that exercise the parts that a run left out, by running larger ones.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/coverage/coverage_note.h"
#include "cli/args/options.h"

namespace tessera::cli {

// The smallest change that was found for a note.
struct SizeChange {
  std::string words;      // "--devices 3"
  std::string finding{};  // kind of the first finding of that run; empty: none
};

// Returns a change of one size for each note, or none. Runs the program of these arguments, without
// analysis, with other values of one size at a time, small changes first. If none exercises a note,
// the first run with a finding counts. Ends after `seconds`, or when every note has a change. Fails
// if the program cannot be opened. arguments: as returned by verify_arguments().
// devices: of the run.
Expected<std::vector<std::optional<SizeChange>>> find_size_changes(
    const Arguments& arguments, int devices, const std::vector<CoverageNote>& notes,
    double seconds);

}  // namespace tessera::cli
