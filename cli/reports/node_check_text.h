// Report on a run that was compared with the interpreter node by node.
#pragma once
#include <string>

#include "cli/args/run_request.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "text/json.h"

namespace tessera::cli {

// Returns "40 of 42 nodes compared with the interpreter: all bit for bit; and all results".
std::string node_check_text(const graph::NodeCheckReport& report);
// Returns the counts, and the finding for the first difference; null if there is none.
Json node_check_json(const graph::NodeCheckReport& report);
// Fails with ErrorCode::unsupported if --check-nodes was given, but the device compared nothing and
// has no findings.
Expected<void> require_node_check(const RunRequest& request, const DeviceReport& report);

}  // namespace tessera::cli
