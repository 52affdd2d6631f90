// Findings on the use of undefined data, with its origin.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/machine/agent.h"
#include "interp/memory/initialisation.h"
#include "interp/memory/region.h"

namespace tessera {

// Returns the finding on the use of the undefined element at `index` of the region's buffer by the
// agent.
// found: the findings of the run so far, which include any out-of-bounds read that is the origin.
// verb: the use, for the message; "read", or another one for a store to a result.
Finding uninitialised_finding(const Program& program, const std::vector<Finding>& found,
                              std::string_view verb, const Region& region, const Index& index,
                              Origin origin, const AgentId& agent, StmtId statement);

// Returns the finding on a copy to a result, `dst`, if the element of `src` at `index` is
// undefined.
Finding undefined_result_finding(const Program& program, const std::vector<Finding>& found,
                                 const Region& src, const Region& dst, const Index& index,
                                 Origin origin, const AgentId& copy, StmtId statement);

// Returns the scalar read at the place that was reported as out of bounds; none if there is none.
StmtId outside_read(const Program& program, const std::vector<Finding>& found, PlaceId place);

// Returns the finding on the use of an undefined scalar: `used_as` ("the condition of `if`") is
// undefined because the statement `read` read it out of bounds.
Finding undefined_scalar_finding(const Program& program, const std::string& used_as, StmtId read,
                                 const AgentId& agent, StmtId statement);

}  // namespace tessera
