// Findings in the form of all reports: causes, each with the number of findings that follow from
// it. With --all, these findings are shown too.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/report/finding.h"
#include "text/json.h"

namespace tessera::cli {

// Returns the causes, numbered if there are several; at most 100 unless `all`, with the number of
// findings that follow from each. With `all`, these findings are shown too.
// behind: returns text to append to the finding with this index; may be empty.
std::string findings_text(const std::vector<Finding>& findings, bool all,
                          const std::function<std::string(std::size_t)>& behind = {});
// Returns each finding as a note; without `all` the first 20 and the number of others.
std::string notes_text(const std::vector<Finding>& notes, bool all);
// Returns every finding, each with the index of the finding that represents it (folded_into) and of
// its cause (follows_from), null if none, and with its count and devices, including repetitions.
Json findings_json(const std::vector<Finding>& findings);
// Returns "1 finding, and 5 consequences of it". Repetitions of a cause are not counted;
// repetitions of a consequence are.
std::string findings_count(const std::vector<Finding>& findings);

}  // namespace tessera::cli
