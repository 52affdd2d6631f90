// Notes on coverage as text and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/sizes/size_search.h"

namespace tessera::cli {

// The changes of sizes that were found for Certificate::coverage.missing; empty: not searched.
using SizeChanges = std::vector<std::optional<SizeChange>>;

// Returns at most three notes and the number of the others; all of them if `changes` were searched.
std::string coverage_lines(const Certificate& certificate, const SizeChanges& changes);
// Returns the first note of a run and the number of the others. command: shows them all.
std::string coverage_of_run_lines(const Certificate& certificate, const std::string& command);
// Returns an array with all notes. changes: as found for these notes.
Json coverage_json(const std::vector<CoverageNote>& notes, const SizeChanges& changes);
// Returns one note: "FILE:LINE: MESSAGE".
std::string coverage_text(const CoverageNote& note);

}  // namespace tessera::cli
