// Findings for nodes with other results than the interpreter.
#pragma once
#include <string>
#include <vector>

#include "analysis/node_check/image.h"
#include "analysis/node_check/reference_run.h"
#include "analysis/node_check/tally.h"
#include "core/report/finding.h"

namespace tessera::graph {

// Returns the finding for a side with at least one wrong element (Likeness::other): the first one,
// and the line that wrote it. images: expected output of the side. got: its actual output, by
// image. writes: writes of its node. all: tally of all processes.
Finding difference(const TaskGraph& graph, SideId side, const Images& images,
                   const std::vector<std::vector<std::byte>>& got,
                   const std::vector<WriteEvent>& writes, const Tally& all);

// Returns the finding for a result with a wrong element at the end of the run, if no side differs.
// writes: all writes to the result.
Finding result_difference(const TaskGraph& graph, const Image& image,
                          const std::vector<std::byte>& got, const std::vector<WriteEvent>& writes,
                          const Tally& all);

// Serialise such a finding for another process that has the same program, and read it there. Its
// texts must have no line breaks. Other text throws std::invalid_argument or std::out_of_range.
std::string packed(const Finding& finding);
Finding finding_of(const Program& program, const std::string& packed);

}  // namespace tessera::graph
