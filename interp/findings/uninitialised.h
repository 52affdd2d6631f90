// The finding that undefined data was used, with where it came from.
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

// found: the findings of the run so far; an origin that read out of bounds is one of them.
Finding uninitialised_finding(const Program& program, const std::vector<Finding>& found,
                              std::string_view verb, const Region& region, const Index& index,
                              Origin origin, const AgentId& agent, StmtId statement);

// The same for a copy to a result, `dst`, that lacks the element of `src` at `index`.
Finding undefined_result_finding(const Program& program, const std::vector<Finding>& found,
                                 const Region& src, const Region& dst, const Index& index,
                                 Origin origin, const AgentId& copy, StmtId statement);

// The read of a scalar at the place that was found to be out of bounds; none if there is none.
StmtId outside_read(const Program& program, const std::vector<Finding>& found, PlaceId place);

// The same for a scalar: `used_as` ("the condition of `if`") is undefined, for the statement `read`
// read it outside its memory.
Finding undefined_scalar_finding(const Program& program, const std::string& used_as, StmtId read,
                                 const AgentId& agent, StmtId statement);

}  // namespace tessera
