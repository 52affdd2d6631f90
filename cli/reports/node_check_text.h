// What a report says of a run that was compared node by node with the interpreter.
#pragma once
#include <string>

#include "cli/args/run_request.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "text/json.h"

namespace tessera::cli {

// "40 of 42 nodes compared with the interpreter: all bit for bit; and all results"
std::string node_check_text(const graph::NodeCheckReport& report);
// The counts, and the first node that differs as its finding.
Json node_check_json(const graph::NodeCheckReport& report);
// An error where --check-nodes asked a device that compared nothing.
Expected<void> require_node_check(const RunRequest& request, const DeviceReport& report);

}  // namespace tessera::cli
