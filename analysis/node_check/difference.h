// The node that left something else than the interpreter does, as a finding.
#pragma once
#include <string>
#include <vector>

#include "analysis/node_check/image.h"
#include "analysis/node_check/reference_run.h"
#include "analysis/node_check/tally.h"
#include "core/report/finding.h"

namespace tessera::graph {

// images, got: what a side is to leave, and what it has left. writes: of its node. all: of the run.
Finding difference(const TaskGraph& graph, SideId side, const Images& images,
                   const std::vector<std::vector<std::byte>>& got,
                   const std::vector<WriteEvent>& writes, const Tally& all);

// The same for a result at the end of the run, if no side differs. writes: all writes to it.
Finding result_difference(const TaskGraph& graph, const Image& image,
                          const std::vector<std::byte>& got, const std::vector<WriteEvent>& writes,
                          const Tally& all);

// Such a finding for another process that has the program, and there.
std::string packed(const Finding& finding);
Finding finding_of(const Program& program, const std::string& packed);

}  // namespace tessera::graph
