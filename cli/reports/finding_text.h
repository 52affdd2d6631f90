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

// The findings, numbered if there are several causes; at most 100 unless `all`.
// behind: returns text to append to the finding with this index; may be empty.
std::string findings_text(const std::vector<Finding>& findings, bool all,
                          const std::function<std::string(std::size_t)>& behind = {});
// Each finding as a note; without `all` the first 20.
std::string notes_text(const std::vector<Finding>& notes, bool all);
// Every finding, each with folded_into, follows_from, count and devices.
Json findings_json(const std::vector<Finding>& findings);
// "1 finding, and 5 consequences of it"
std::string findings_count(const std::vector<Finding>& findings);

}  // namespace tessera::cli
