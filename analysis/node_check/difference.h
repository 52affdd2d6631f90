// Findings for nodes with other results than the interpreter.
#pragma once
#include <string>
#include <vector>

#include "analysis/node_check/image.h"
#include "analysis/node_check/reference_run.h"
#include "analysis/node_check/tally.h"
#include "core/report/finding.h"

namespace tessera::graph {

// images: expected output of a side. got: its actual output. writes: writes of its node. all: tally
// of all processes.
Finding difference(const TaskGraph& graph, SideId side, const Images& images,
                   const std::vector<std::vector<std::byte>>& got,
                   const std::vector<WriteEvent>& writes, const Tally& all);

// The same for a result at the end of the run if no side differs. writes: all writes to the result.
Finding result_difference(const TaskGraph& graph, const Image& image,
                          const std::vector<std::byte>& got, const std::vector<WriteEvent>& writes,
                          const Tally& all);

// Serialises such a finding for another process that has the same program, and reads it there.
std::string packed(const Finding& finding);
Finding finding_of(const Program& program, const std::string& packed);

}  // namespace tessera::graph
