// The finding that undefined data was used, with where it came from.
#pragma once
#include <string_view>

#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/machine/agent.h"
#include "interp/memory/initialisation.h"
#include "interp/memory/region.h"

namespace tessera {

Finding uninitialised_finding(const Program& program, std::string_view verb, const Region& region,
                              const Index& index, Origin origin, const AgentId& agent,
                              StmtId statement);

}  // namespace tessera
